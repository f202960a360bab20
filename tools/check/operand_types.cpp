#include "operand_types.hpp"

#include "source_model.hpp"

#include <clang/AST/DeclTemplate.h>

namespace sinter_check {
using namespace clang;

namespace {

element number_named(llvm::StringRef name, bool is_weak) {
  if (name == "boolean") return {element_kind::boolean, is_weak};
  if (name.starts_with("int") || name.starts_with("uint")) return {element_kind::integer, is_weak};
  if (name == "float64") return {element_kind::float64, is_weak};
  return {name.starts_with("float") || name == "bfloat16" ? element_kind::floating : element_kind::none,
          is_weak};
}

element number_of(QualType type, bool is_weak) {
  const auto* plain = type.getCanonicalType()->getAs<BuiltinType>();
  if (!plain) {
    const CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record && record->getIdentifier() && is_in_sinter(record)
               ? number_named(record->getName(), is_weak)
               : element();
  }
  if (plain->getKind() == BuiltinType::Bool) return {element_kind::boolean, is_weak};
  if (plain->isInteger()) return {element_kind::integer, is_weak};
  if (plain->getKind() == BuiltinType::Double) return {element_kind::float64, is_weak};
  return {plain->isFloatingPoint() ? element_kind::floating : element_kind::none, is_weak};
}

/// The type that a lazy expression has for its result: a constant of its class, {element type, whether it is
/// weak}.
element element_of_expression(const ASTContext& context, const CXXRecordDecl* record) {
  for (const NamedDecl* found : record->lookup(&context.Idents.get("result_type"))) {
    const auto* constant = dyn_cast<VarDecl>(found);
    if (!constant || !constant->getAnyInitializer()) return {};
    const APValue* value = constant->evaluateValue();
    if (!value || !value->isStruct() || value->getStructNumFields() < 2) return {};
    const auto* fields = constant->getType()->getAsCXXRecordDecl();
    const auto* types = fields->field_begin()->getType()->getAs<EnumType>();
    if (!types || !value->getStructField(0).isInt()) return {};
    for (const EnumConstantDecl* type : types->getDecl()->enumerators())
      if (llvm::APSInt::isSameValue(type->getInitVal(), value->getStructField(0).getInt()))
        return number_named(type->getName(), value->getStructField(1).getInt() != 0);
  }
  return {};
}

}  // namespace

const Expr* as_written(const Expr* expression) {
  for (;;) {
    const Expr* inner = expression->IgnoreImplicit()->IgnoreParenImpCasts();
    if (const auto* made = dyn_cast<CXXConstructExpr>(inner)) {
      const bool is_located =
          llvm::StringRef(made->getConstructor()->getParent()->getName()).starts_with("located");
      if (made->getNumArgs() >= 1 && (is_located || made->getConstructor()->isCopyOrMoveConstructor()))
        inner = made->getArg(0);
    } else if (const auto* bound = dyn_cast<CXXBindTemporaryExpr>(inner)) {
      inner = bound->getSubExpr();
    }
    if (inner == expression) return inner;
    expression = inner;
  }
}

element element_of(const ASTContext& context, const Expr* operand) {
  operand = as_written(operand);
  const QualType type = operand->getType().getNonReferenceType();
  if (type.isNull() || type->isDependentType()) return {};
  if (type->isBuiltinType()) return number_of(type, true);
  if (!is_operand_type(type)) return {};
  const CXXRecordDecl* record = type->getAsCXXRecordDecl();
  const llvm::StringRef name = template_of(type);
  if (name == "value" || name == "array" || name == "view") {
    const QualType argument = cast<ClassTemplateSpecializationDecl>(record)->getTemplateArgs()[0].getAsType();
    if (template_of(argument) == "weak")
      return number_of(cast<ClassTemplateSpecializationDecl>(argument->getAsCXXRecordDecl())
                           ->getTemplateArgs()[0]
                           .getAsType(),
                       true);
    return number_of(argument, false);
  }
  return element_of_expression(context, record);
}

}  // namespace sinter_check
