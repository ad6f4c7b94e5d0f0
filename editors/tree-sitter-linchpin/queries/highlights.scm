; Colours of Linchpin models.

(comment) @comment
(number) @number
(label) @label
[(boolean) (null) (none)] @constant.builtin
[(me) (self)] @variable.builtin
(wildcard) @variable.builtin

[
  "memory" "use" "const" "type" "enum" "struct" "word" "shared" "local" "init" "op" "fn" "impl" "hash" "role"
  "spec" "check" "prove" "object" "state" "observer" "when" "gc" "pool" "manual" "let" "in" "new" "choose" "where"
] @keyword
["if" "else" "match"] @keyword.conditional
["loop" "while" "for" "break" "continue"] @keyword.repeat
["return" "defer"] @keyword.return
["atomic" "await" "assert" "assume" "lin" "maybe" "of"] @keyword
"violated" @constant.builtin

(primitive_type) @type.builtin
(choose_bool "bool" @type.builtin)
(named_type name: (identifier) @type)
(path type: (identifier) @type)
(path name: (identifier) @constant)
(type_parameters (identifier) @type)
(object name: (identifier) @type)
(object spec: (identifier) @type)
(struct name: (identifier) @type)
(word name: (identifier) @type)
(enum name: (identifier) @type)
(enum variant: (identifier) @constant)
(type_alias name: (identifier) @type)
(spec name: (identifier) @type)
(impl type: (identifier) @type)
(word_literal name: (identifier) @type)
(const name: (identifier) @constant)
(use module: (identifier) @module)

(signature name: (identifier) @function)
(hash name: (identifier) @function)
(call function: (identifier) @function.call)
(method_call method: (identifier) @function.method.call)
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin "cas" "cmpxchg" "dcas" "swap" "fetch_add" "ll" "sc" "free" "ord"))
(role name: (identifier) @function)
(operation_name (identifier) @function)
(observer name: (identifier) @function)
(observer_step operation: (identifier) @function)
(observer_step from: (identifier) @label)
(observer_step to: (identifier) @label)

(parameter name: (identifier) @variable.parameter)
(shared name: (identifier) @variable)
(local name: (identifier) @variable)
(state name: (identifier) @variable)
(let name: (identifier) @variable)
(field name: (identifier) @property)
(field_value name: (identifier) @property)
(bound name: (identifier) @property)
(expectation property: (identifier) @constant)
(prove method: (identifier) @constant)
(attribute (identifier) @attribute)

["+" "-" "*" "/" "%" "!" "=" "+=" "-=" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "->" "=>" ".." "..=" "&" "?"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "::" "." "#"] @punctuation.delimiter
