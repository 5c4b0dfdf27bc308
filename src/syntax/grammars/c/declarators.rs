//! The names in declarators.

use tree_sitter::Node;

use crate::syntax::grammars::common::children;

/// What a declarator declares.
pub(super) struct Declared<'tree> {
    pub(super) name: Node<'tree>,
    /// The class or namespace that the name says it is of.
    pub(super) owner: Option<Node<'tree>>,
    pub(super) is_function: bool,
}

/// The name in a declarator such as `*(&Owner::name)(int)`.
pub(super) fn declared(declarator: Node<'_>) -> Option<Declared<'_>> {
    let mut found = Declared { name: declarator, owner: None, is_function: false };
    for _ in 0..32 {
        let node = found.name;
        found.name = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "destructor_name" | "operator_name" | "operator_cast" => {
                found.is_function |= node.kind() == "operator_cast";
                return Some(found);
            }
            "qualified_identifier" => {
                found.owner = node.child_by_field_name("scope").or(found.owner);
                node.child_by_field_name("name")?
            }
            "template_function" | "template_method" | "template_type" => node.child_by_field_name("name")?,
            "function_declarator" => {
                if let Some(name) = parenthesised(node) {
                    return Some(Declared { name, is_function: true, ..found });
                }
                // A pointer to a function is no function.
                found.is_function = !is_pointer(node.child_by_field_name("declarator")?);
                node.child_by_field_name("declarator")?
            }
            "pointer_declarator" | "reference_declarator" => node.child_by_field_name("declarator").or_else(|| children(node).pop())?,
            "init_declarator" | "array_declarator" | "attributed_declarator" | "pointer_type_declarator" => {
                node.child_by_field_name("declarator").or_else(|| node.named_child(0))?
            }
            "parenthesized_declarator" | "bitfield_clause" | "structured_binding_declarator" | "dependent_name" => inner(node)?,
            _ => return None,
        };
    }
    None
}

/// The name in `API int (name) (int)`, where the grammar takes the macro for the type and the type for a name.
fn parenthesised(declarator: Node<'_>) -> Option<Node<'_>> {
    let inner = declarator.child_by_field_name("declarator").filter(|inner| inner.kind() == "function_declarator")?;
    let parameters = inner.child_by_field_name("parameters").filter(|parameters| parameters.named_child_count() == 1)?;
    let parameter = parameters.named_child(0).filter(|parameter| parameter.named_child_count() == 1)?;
    parameter.named_child(0).filter(|name| name.kind() == "type_identifier")
}

fn is_pointer(declarator: Node<'_>) -> bool {
    declarator.kind() == "parenthesized_declarator" && inner(declarator).is_some_and(|inner| inner.kind() == "pointer_declarator")
}

/// What brackets hold, without the class of `(Class::*name)`, which the grammar does not know.
fn inner(brackets: Node<'_>) -> Option<Node<'_>> {
    children(brackets).into_iter().find(|child| !child.is_error())
}
