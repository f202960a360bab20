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

/// The captures with a copy of each member instead of `this`.
std::string without_this(const source_model& model, const LambdaExpr* lambda) {
  member_finder members;
  members.TraverseStmt(lambda->getBody());
  if (!members.can_be_copied()) return "";
  std::string copies;
  for (const std::string& field : members.fields)
    copies += (copies.empty() ? "" : ", ") + field + " = " + field;
  std::string introducer = model.text(lambda->getIntroducerRange());
  const std::size_t word = introducer.find("this");
  if (word == std::string::npos) return with_captures(model, lambda, copies);
  return introducer.replace(word, 4, copies);
}

}  // namespace

void find_captured_this(const source_model& model, reporter& report) {
  for (const kernel& each : model.kernels()) {
    if (!each.is_fused) continue;
    for (const LambdaCapture& capture : each.lambda->captures()) {
      if (capture.getCaptureKind() != LCK_This) continue;
      const destination where = destination_of(model, each.call);
      if (where == destination::nowhere) continue;
      report.warn(capture.getLocation(),
                  std::string("a fused function that captures `this` ") + phrase_of(where) +
                      ": it reads the old address after the object was moved, copied or destroyed; capture "
                      "the members that it reads",
                  each.lambda->getIntroducerRange(), without_this(model, each.lambda));
    }
  }
}

}  // namespace sinter_check
