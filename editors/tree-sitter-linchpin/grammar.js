// The grammar of Linchpin models for editors. `linchpin` itself has a parser of its own; `tests/editors` compares
// the two on every model and every literate test.

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const LEVEL = { range: 1, or: 2, and: 3, comparison: 4, sum: 5, product: 6, unary: 7, postfix: 8 };

const commas = rule => optional(seq(rule, repeat(seq(',', rule)), optional(',')));

module.exports = grammar({
  name: 'linchpin',

  word: $ => $.identifier,

  extras: $ => [/[\s\f\uFEFF]/, $.comment],

  conflicts: $ => [
    // `if x == Limit { … }`: a word literal, or a condition and its block.
    [$._expression, $.word_literal],
  ],

  supertypes: $ => [$._item, $._statement, $._expression, $._type],

  rules: {
    source_file: $ => repeat(choice($.object, $._item)),

    comment: _ => token(seq('//', /[^\n]*/)),
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,
    number: _ => /[0-9][0-9_]*/,
    label: _ => /'[A-Za-z_][A-Za-z0-9_]*/,

    object: $ => seq('object', field('name', $.identifier), ':', field('spec', $.identifier),
      optional($.type_arguments), optional($.arguments), ';'),

    // Items.
    _item: $ => choice($.memory, $.use, $.const, $.type_alias, $.enum, $.struct, $.word, $.shared, $.local,
      $.init, $.operation, $.function, $.impl, $.hash, $.role, $.spec, $.check, $.prove),

    memory: $ => seq('memory', field('kind', choice('gc', 'pool', 'manual')), ';'),
    use: $ => seq('use', field('module', $.identifier), '::',
      choice('*', field('name', $.identifier), seq('{', commas(field('name', $.identifier)), '}')), ';'),
    const: $ => seq('const', field('name', $.identifier), '=', field('value', $._expression), ';'),
    type_alias: $ => seq('type', field('name', $.identifier), '=', field('type', $._type), ';'),
    enum: $ => seq('enum', field('name', $.identifier), '{', commas(field('variant', $.identifier)), '}'),
    struct: $ => seq('struct', $._record),
    word: $ => seq('word', $._record),
    _record: $ => seq(field('name', $.identifier), optional($.type_parameters), '{', commas($.parameter), '}'),
    shared: $ => seq('shared', $._variable),
    local: $ => seq('local', $._variable),
    _variable: $ => seq(field('name', $.identifier), ':', field('type', $._type),
      optional(seq('=', field('value', $._expression))), ';'),
    init: $ => seq('init', $.block),
    operation: $ => seq('op', $.signature, $.block),
    function: $ => seq('fn', $.signature, choice($.block, ';')),
    impl: $ => seq('impl', optional($.type_parameters), field('type', $.identifier),
      optional(alias($.type_parameters, $.type_arguments)), '{', repeat($.function), '}'),
    hash: $ => seq('hash', field('name', $.identifier), '(', $.parameter, ')', '->', field('result', $._type),
      optional(seq('=', field('value', $._expression))), ';'),
    role: $ => seq('role', field('name', $.identifier), optional(seq(':', field('count', $._expression))), '=',
      field('calls', $._calls), ';'),

    _calls: $ => choice($.operation_name, $.call_sequence, $.call_choice, $.call_star,
      $.call_optional, $.call_group),
    operation_name: $ => $.identifier,
    call_group: $ => seq('(', $._calls, ')'),
    call_star: $ => prec(3, seq($._calls, '*')),
    call_optional: $ => prec(3, seq($._calls, '?')),
    call_sequence: $ => prec.left(2, seq($._calls, $._calls)),
    call_choice: $ => prec.left(1, seq($._calls, '|', $._calls)),

    signature: $ => seq(field('name', $.identifier), '(', optional(seq($.self, optional(','))),
      commas($.parameter), ')', optional(seq('->', field('result', $._type)))),
    parameter: $ => seq(field('name', $.identifier), ':', field('type', $._type)),
    type_parameters: $ => seq('<', commas($.identifier), '>'),
    type_arguments: $ => seq('<', commas($._type), '>'),

    // Specifications.
    spec: $ => seq('spec', field('name', $.identifier), optional($.type_parameters),
      optional(seq('(', commas($.parameter), ')')), '{', repeat(choice($.state, $.clause, $.observer)), '}'),
    state: $ => seq('state', $._variable),
    clause: $ => seq($.clause_head, repeat(seq('&', $.clause_head)),
      optional(seq('when', field('when', $._expression))), $.block),
    clause_head: $ => seq(repeat($.attribute), 'op', $.signature),
    attribute: $ => seq('#', '[', $.identifier, ']'),
    observer: $ => seq('observer', field('name', $.identifier), '(', commas($.parameter), ')',
      optional(seq('when', field('when', $._expression))), '{', repeat($.observer_step), '}'),
    observer_step: $ => seq(field('from', $.identifier), ':', field('operation', $.identifier),
      '(', commas($._pattern), ')', optional(seq('->', $._pattern)), '=>', field('to', $.identifier), ';'),
    _pattern: $ => choice($.wildcard, $._expression),
    wildcard: _ => '_',

    // Checks.
    check: $ => seq('check', '{', optional(seq($.bound, repeat(seq(',', $.bound)), optional(','), ';')),
      repeat($.expectation), '}'),
    prove: $ => seq('prove', field('method', $.identifier), '{', repeat($.expectation), '}'),
    bound: $ => seq(field('name', $.identifier), ':', choice($.number, seq($.number, '..', $.number),
      field('value', $.identifier), seq('[', commas(field('value', $.identifier)), ']'))),
    expectation: $ => seq(field('property', $.identifier), optional(seq(':', 'violated')), ';'),

    // Types.
    _type: $ => choice($.primitive_type, $.named_type, $.pointer_type, $.array_type, $.option_type, $.range_type),
    primitive_type: _ => choice('bool', 'int', 'data', 'key', 'age', 'thread', 'lock', 'condvar'),
    named_type: $ => seq(field('name', $.identifier), optional($.type_arguments)),
    pointer_type: $ => prec(2, seq('*', choice($._type, seq('[', $._type, ']')))),
    array_type: $ => seq('[', $._type, ';', field('length', $._expression), ']'),
    option_type: $ => prec(1, seq($._type, '?')),
    range_type: $ => seq(field('low', $._bound), choice('..', '..='), field('high', $._bound)),
    // The bound of a range: a sum.
    _bound: $ => choice($.number, $.identifier, $.path, $.call, $.parenthesized, alias($.bound_unary, $.unary),
      alias($.bound_binary, $.binary)),
    bound_unary: $ => prec(LEVEL.unary, seq('-', $._bound)),
    bound_binary: $ => choice(
      prec.left(LEVEL.sum, seq($._bound, choice('+', '-'), $._bound)),
      prec.left(LEVEL.product, seq($._bound, choice('*', '/', '%'), $._bound))),

    // Statements.
    block: $ => seq('{', repeat($._statement), '}'),
    _statement: $ => choice($.let, $.assignment, $.expression_statement, $.block, $.if, $.match, $.loop, $.while,
      $.for, $.break, $.continue, $.return, $.defer, $.atomic, $.await, $.assert, $.assume, $.lin),

    let: $ => seq('let', field('name', $.identifier), optional(seq(':', field('type', $._type))),
      optional(seq('=', field('value', $._expression))), ';'),
    assignment: $ => seq(field('place', $._expression), choice('=', '+=', '-='), field('value', $._expression),
      ';'),
    expression_statement: $ => seq($._expression, ';'),
    if: $ => seq('if', field('condition', $._expression), $.block,
      optional(seq('else', choice($.if, $.block)))),
    match: $ => seq('match', field('value', $._expression), '{', repeat($.arm), '}'),
    arm: $ => seq(field('pattern', $._pattern), '=>', $.block),
    loop: $ => seq(optional(seq($.label, ':')), 'loop', $.block),
    while: $ => seq(optional(seq($.label, ':')), 'while', field('condition', $._expression), $.block),
    for: $ => seq(optional(seq($.label, ':')), 'for', field('name', $.identifier), 'in',
      field('over', $._expression), $.block),
    break: $ => seq('break', optional($.label), ';'),
    continue: $ => seq('continue', optional($.label), ';'),
    return: $ => seq('return', optional(seq($._expression, repeat(seq(',', $._expression)))), ';'),
    defer: $ => seq('defer', $._statement),
    atomic: $ => seq('atomic', $.block),
    await: $ => seq('await', $._expression, ';'),
    assert: $ => seq('assert', $._expression, ';'),
    assume: $ => seq('assume', $._expression, ';'),
    lin: $ => seq('lin', optional('maybe'), optional(seq('of', field('of', $._expression))),
      optional(seq('if', field('condition', $._expression))), ';'),

    // Expressions.
    _expression: $ => choice($.number, $.boolean, $.null, $.none, $.me, $.self, $.identifier, $.path, $.field,
      $.index, $.call, $.method_call, $.unary, $.binary, $.range, $.parenthesized, $.word_literal, $.array,
      $.repeat_array, $.new, $.new_array, $.choose_bool, $.choose, $.lambda),

    boolean: _ => choice('true', 'false'),
    null: _ => 'null',
    none: _ => 'none',
    me: _ => 'me',
    self: _ => 'self',
    path: $ => seq(field('type', $.identifier), '::', field('name', $.identifier)),
    field: $ => prec(LEVEL.postfix, seq($._expression, '.', field('name', $.identifier))),
    index: $ => prec(LEVEL.postfix, seq($._expression, '[', field('index', $._expression), ']')),
    call: $ => prec(LEVEL.postfix, seq(field('function', $.identifier), $.arguments)),
    method_call: $ => prec(LEVEL.postfix + 1, seq($._expression, '.', field('method', $.identifier), $.arguments)),
    arguments: $ => seq('(', commas($._expression), ')'),
    unary: $ => prec(LEVEL.unary, seq(choice('!', '-'), $._expression)),
    binary: $ => choice(
      prec.left(LEVEL.or, seq($._expression, '||', $._expression)),
      prec.left(LEVEL.and, seq($._expression, '&&', $._expression)),
      prec.left(LEVEL.comparison, seq($._expression, choice('==', '!=', '<', '<=', '>', '>='), $._expression)),
      prec.left(LEVEL.sum, seq($._expression, choice('+', '-'), $._expression)),
      prec.left(LEVEL.product, seq($._expression, choice('*', '/', '%'), $._expression))),
    range: $ => prec.left(LEVEL.range, seq(field('low', $._expression), choice('..', '..='),
      field('high', $._expression))),
    parenthesized: $ => seq('(', $._expression, ')'),
    // A block is more likely after a name in a condition.
    word_literal: $ => prec.dynamic(-1, seq(field('name', $.identifier), $.field_values)),
    field_values: $ => seq('{', commas($.field_value), '}'),
    field_value: $ => seq(field('name', $.identifier), optional(seq(':', field('value', $._expression)))),
    array: $ => seq('[', commas($._expression), ']'),
    repeat_array: $ => seq('[', $._expression, ';', field('length', $._expression), ']'),
    new: $ => seq('new', field('type', $.named_type), $.field_values),
    new_array: $ => seq('new', '[', $._expression, ';', field('length', $._expression), ']'),
    choose_bool: _ => seq('choose', 'bool'),
    choose: $ => prec.right(0, seq('choose', optional(seq(field('name', $.identifier), 'in')),
      field('from', $._expression), optional(seq('where', field('where', $._expression))))),
    lambda: $ => prec.right(0, seq('|', field('name', $.identifier), '|', $._expression)),
  },
});
