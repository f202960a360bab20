// A fused function that is kept or returned holds the address of its object, which moves, is copied or ends.

#include "../checks.hpp"
#include "../lifetimes.hpp"
#include "captures.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <set>

namespace sinter_check {
using namespace clang;

namespace {

/// The members of `this` that a lambda uses.
class member_finder : public RecursiveASTVisitor<member_finder> {
 public:
  bool VisitMemberExpr(MemberExpr* member) {
    const auto* object = dyn_cast<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    if (!object) return true;
    const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
    // `this->a` and calls of methods go on needing the object.
    if (field && object->isImplicit())
      fields.insert(field->getNameAsString());
    else
      only_fields = false;
    if (field && !field->getType()->isArithmeticType()) only_fields = false;
    ++uses;
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr*) {
    ++objects;
    return true;
  }
  bool can_be_copied() const { return only_fields && uses == objects && uses != 0; }

  std::set<std::string> fields;
  bool only_fields = true;
  unsigned uses = 0, objects = 0;
};

/// A copy of each member that a lambda uses; "" where it needs the object.
std::string copies_of_members(const LambdaExpr* lambda) {
  member_finder members;
  members.TraverseStmt(lambda->getBody());
  if (!members.can_be_copied()) return "";
  std::string copies;
  for (const std::string& field : members.fields)
    copies += (copies.empty() ? "" : ", ") + field + " = " + field;
  return copies;
}

}  // namespace

void find_captured_this(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels()) {
    if (!each.is_fused) continue;
    for (const LambdaCapture& capture : each.lambda->captures()) {
      if (capture.getCaptureKind() != LCK_This) continue;
      const destination where = destination_of(model, each.call);
      if (where == destination::nowhere) continue;
      const std::string copies = copies_of_members(each.lambda);
      const SourceLocation at = capture.getLocation();
      report.warn(at,
                  std::string("a fused function that captures `this` ") + phrase_of(where) +
                      ": it reads the old address after the object was moved, copied or destroyed; capture "
                      "the members that it reads",
                  capture.isExplicit() ? SourceRange(at) : each.lambda->getIntroducerRange(),
                  capture.isExplicit() ? copies : with_captures(model, each.lambda, copies));
    }
  }
}

}  // namespace sinter_check
