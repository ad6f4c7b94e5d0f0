//! Mistakes of people who know Rust or C, and their corrections.
//!
//! Where the meaning is clear, the slip is reported and parsing continues. Otherwise the message carries the
//! help.

use super::super::ast::{Arm, Expr, Name, StmtKind};
use super::super::lexer::Lexeme;
use super::super::token::Token;
use super::statements::empty_block;
use super::{Parsed, Parser, Reported};
use linchpin_ir::diagnostic::Diagnostic;
use linchpin_ir::nearest::distance;
use linchpin_ir::source::Span;

/// What begins a declaration elsewhere, as in `int x = 3;`.
const DECLARING: [&str; 12] =
    ["int", "bool", "data", "key", "age", "thread", "lock", "var", "auto", "val", "static", "void"];

/// What begins a statement and has an operand.
const STATEMENTS: [&str; 8] = ["let", "return", "while", "match", "assert", "assume", "await", "atomic"];

// Help for the general message.
impl Parser<'_> {
    pub(super) fn help_for_unexpected(&self, expected: &str) -> Option<String> {
        let text = self.text_of(self.lexeme());
        let help = match (self.current(), text) {
            (Token::Underscore, _) if expected != "a type" => {
                "give it a name; only an arm of `match` may be `_`"
            }
            (Token::ForeignAssign, _) => "there are only `=`, `+=` and `-=`",
            (Token::Arrow, _) if expected == Token::Semicolon.spelling() => {
                "write `p.field`: the dot follows a pointer"
            }
            (Token::Colon, _) if self.peek(1) == Token::Assign => {
                "write `let x = value;` to declare a variable, `x = value;` to assign it"
            }
            (Token::Question | Token::Name | Token::Star, _) if expected == Token::OpenParen.spelling() => {
                "the type of the result comes last: `op pop() -> data?`"
            }
            (Token::OpenBracket, _) if expected == Token::Colon.spelling() => "write `name: [type; 4]`",
            (Token::Colon | Token::Assign, _) if expected == Token::In.spelling() => {
                "write `for x in …`, such as `for i in 0..n`"
            }
            (Token::Dot, _) if expected == "the end of the range" => {
                "write `0..4` without the 4, `0..=4` with it"
            }
            (Token::Assign, _) if expected == Token::Semicolon.spelling() => {
                "write one assignment in a statement"
            }
            (Token::If, _) if expected == Token::FatArrow.spelling() => {
                "an arm has no condition: write an `if` in its block"
            }
            (Token::Name, _) if expected == "`,` or `;`" => "write `;` between bounds and properties",
            (Token::OpenParen, _)
                if expected == Token::Semicolon.spelling() && self.comes_after(&["Some", "Ok", "Err"]) =>
            {
                "a `let` has no pattern: write `let x = y;`, and test `x == none`"
            }
            (Token::OpenBrace, _) if self.comes_after(&["unsafe"]) => {
                "remove `unsafe` and its braces: a wrong access is reported as a fault"
            }
            (Token::OpenParen, _) if expected == "the name of a variable" => {
                "there are no tuples: declare one variable for each value"
            }
            (Token::Comma, _) if expected == Token::CloseParen.spelling() => {
                "write one value: there are no tuples; a `word` has several named fields"
            }
            (Token::Question, _) if self.peek(1).begins_expression() => {
                "there is no `a ? b : c`: use `if` and `else`"
            }
            (Token::OpenParen, _) if self.comes_after_token(Token::Lin) => "write `lin;`, or `lin if c;`",
            (Token::Ampersand | Token::Bar, _) if expected != "an expression" => {
                "write `&&` or `||`; there are no operators on bits"
            }
            (Token::Name | Token::Star, _) if expected == Token::Colon.spelling() => {
                "write the name first, then the type: `name: type`"
            }
            (Token::Label, _) => "write a label before a loop, or after `break` and `continue`",
            (Token::Name, "mut") => "remove `mut`: locals may be assigned",
            (Token::Name, "and") => "write `&&`",
            (Token::Name, "or") => "write `||`",
            (Token::Name, "not") => "write `!`",
            (Token::Name, "as") => "there are no casts",
            (Token::Question, _) => "write `x.unwrap()` for the value; `?` makes a type optional",
            (Token::FatArrow, _) if expected == Token::OpenBrace.spelling() => "a result type follows `->`",
            (Token::Colon, _) if expected == Token::OpenBrace.spelling() => "a result type follows `->`",
            (Token::Minus, _) if expected == "`,` or `;`" => "write a range with two dots: `1..3`",
            (Token::Plus | Token::Minus, _) if self.is_doubled() => "write `x += 1` or `x -= 1`",
            (Token::PathSeparator, _) if expected == Token::Semicolon.spelling() => {
                "a path has two parts: `module::Item` or `Type::Member`"
            }
            (Token::Bar, _) if expected == Token::FatArrow.spelling() => "write one arm for each pattern",
            _ if self.comes_after(&["elif", "elsif", "elseif"]) => "write `else if`",
            (Token::Name, _) if self.comes_after(&["goto"]) => {
                "there is no `goto`: write `continue 'retry;` in a loop `'retry: loop { … }`"
            }
            (Token::Name, _) if self.comes_after(&DECLARING) => {
                "declare a variable with `let name: type = value;`"
            }
            _ => return self.misspelt_word(expected),
        };
        Some(help.to_owned())
    }

    /// `retrun x;`: a name that begins a statement, resembles a reserved word, and has an operand after it.
    fn misspelt_word(&self, expected: &str) -> Option<String> {
        let before = self.lexemes[self.position.checked_sub(1)?];
        let operand = expected == Token::Semicolon.spelling() && self.current().begins_expression();
        if !operand || before.token != Token::Name {
            return None;
        }
        let text = self.text_of(before);
        let word = STATEMENTS.into_iter().find(|word| distance(text, word) * 3 <= word.len())?;
        Some(format!("did you mean `{word}`?"))
    }

    /// The second sign of `x++` or `x--`.
    fn is_doubled(&self) -> bool {
        self.touches(self.current())
    }

    /// `token` stands directly before the current one.
    fn touches(&self, token: Token) -> bool {
        self.previous().end as usize == self.lexeme().start && self.comes_after_token(token)
    }

    /// The token before is a name and one of `words`.
    fn comes_after(&self, words: &[&str]) -> bool {
        let before = self.position.checked_sub(1).map(|index| self.lexemes[index]);
        before.is_some_and(|lexeme| lexeme.token == Token::Name && words.contains(&self.text_of(lexeme)))
    }

    pub(super) fn comes_after_token(&self, token: Token) -> bool {
        self.position.checked_sub(1).is_some_and(|index| self.lexemes[index].token == token)
    }
}

// Slips in expressions.
impl Parser<'_> {
    pub(super) fn not_an_expression(&mut self) -> Reported {
        let diagnostic = self.unexpected_diagnostic("an expression");
        let help = match self.current() {
            Token::Ampersand => "remove `&`: `cas(head, old, new)` takes the place `head` itself",
            Token::Let => "compare instead: `if x != none { … x.unwrap() … }`, `if p != null { … }`",
            Token::AndAnd => "`&&` stands between two conditions",
            Token::Star => "write `p.field`: the dot follows a pointer",
            Token::Plus if !self.is_doubled() => "a number has no `+` before it",
            Token::OrOr => "write one parameter: `|x| …`",
            Token::If | Token::Match => "declare a variable with `let`, and assign it in each branch",
            Token::Loop | Token::While | Token::For => "a loop is a statement and has no value",
            Token::Atomic | Token::OpenBrace => "a block has no value; assign to a variable inside it",
            Token::Return | Token::Break | Token::Continue => "this is a statement of its own",
            Token::DotDot | Token::DotDotEqual => "write both ends of the range: `0..n`",
            Token::Underscore => "only an arm of `match` may be `_`",
            Token::Less if self.touches(Token::Less) => "there are no operators on bits",
            Token::Greater if self.touches(Token::Greater) => "there are no operators on bits",
            Token::Greater if self.touches(Token::Less) => "write `!=`",
            _ => return self.report_here(diagnostic),
        };
        self.report_here(diagnostic.help(help))
    }

    pub(super) fn chained_comparison(&mut self, first: Span) -> Reported {
        let type_arguments = self.at(Token::Greater);
        let diagnostic =
            Diagnostic::error("comparisons cannot be chained", self.span(), "a second comparison")
                .label(first, "the first one");
        self.report_here(diagnostic.help(if type_arguments {
            "write `a < b && b < c`; a word literal has no type arguments: `Marked { … }`"
        } else {
            "write `a < b && b < c`, or put one of them in parentheses"
        }))
    }

    pub(super) fn strict_equality(&mut self) {
        let text = self.text_of(self.lexeme());
        let meant = &text[..2];
        self.report_here(
            Diagnostic::error(
                format!("there is no operator `{text}`"),
                self.span(),
                format!("expected `{meant}`"),
            )
            .help(format!("write `{meant}`; it compares values of one type only")),
        );
    }

    pub(super) fn bad_integer(&mut self, lexeme: Lexeme) {
        let text = self.text_of(lexeme);
        let span = self.span_of(lexeme);
        let digits_only = text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
        self.report_here(if digits_only {
            Diagnostic::error("this number is too large", span, format!("the largest is {}", i64::MAX))
        } else {
            Diagnostic::error(format!("`{text}` is not a number"), span, "expected decimal digits")
                .help("write a decimal number without a type: `16`")
        });
    }

    pub(super) fn qualified_call(&mut self, qualifier: &Name) -> Reported {
        let diagnostic = self.unexpected_diagnostic("an operator or `;`");
        if matches!(&*qualifier.text, "thread" | "Thread" | "std" | "task" | "tokio") {
            let help = "leave it out: the threads of the client call the operations, in every interleaving";
            return self.report_here(diagnostic.help(help));
        }
        self.report_here(diagnostic.help(format!(
            "a function is called by its name alone, a method after a dot; take it with `use {}::…;` if it is \
             another module's",
            qualifier.text
        )))
    }

    /// `name!(`, written together.
    pub(super) fn macro_call_begins(&self) -> bool {
        self.previous().end as usize == self.lexeme().start
            && matches!(self.peek(1), Token::OpenParen | Token::OpenBracket | Token::OpenBrace)
    }

    pub(super) fn macro_call(&mut self, name: &Name) -> Reported {
        let diagnostic = Diagnostic::error("there are no macros", self.span(), "not an operator here");
        self.report_here(diagnostic.help(match &*name.text {
            "println" | "print" | "eprintln" | "eprint" | "dbg" | "log" => {
                "leave it out: a counterexample shows all values".to_owned()
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => "write `assert false;`".to_owned(),
            "assert_eq" | "debug_assert_eq" => "write `assert a == b;`".to_owned(),
            "assert_ne" | "debug_assert_ne" => "write `assert a != b;`".to_owned(),
            "debug_assert" => "write `assert c;`".to_owned(),
            name => format!("`{name}` is called without `!`"),
        }))
    }

    /// `assert!(c)` would read as the negation.
    pub(super) fn exclamation_after(&mut self, word: Span) {
        let together = self.at(Token::Bang) && word.end as usize == self.lexeme().start;
        if together {
            let diagnostic = Diagnostic::error("there are no macros", self.span(), "would mean `not`");
            self.report_here(diagnostic.help("write `assert c;`, and for the negation `assert !c;`"));
            self.bump();
        }
    }

    pub(super) fn literal_in_condition(&mut self, name: &Name) {
        self.report(
            Diagnostic::error(
                "a word literal in a condition needs parentheses",
                name.span.to(self.span()),
                "`{` would begin the block",
            )
            .help(format!("write `({} {{ … }})`", name.text)),
        );
    }

    pub(super) fn equals_in_literal(&mut self) {
        let diagnostic = Diagnostic::error("expected `:`, found `=`", self.span(), "expected `:`");
        self.report_here(diagnostic.help("write `name: value`"));
    }

    pub(super) fn constructor_call(&mut self, type_span: Span) -> Reported {
        if self.at(Token::OpenBracket) {
            let title = "the length of an array stands inside the brackets";
            let diagnostic = Diagnostic::error(title, self.span(), "not expected here");
            return self
                .report_here(diagnostic.help("write `new [e; 4]`, with the first value of the elements"));
        }
        let diagnostic = self.unexpected_diagnostic("`{`").label(type_span, "the fields follow in braces");
        self.report_here(
            diagnostic.help("write `new Node { field: value }`; fields left out get their default"),
        )
    }
}

// Slips in statements.
impl Parser<'_> {
    pub(super) fn mutable(&mut self) {
        let diagnostic = Diagnostic::error("there is no `mut`", self.span(), "not needed");
        self.report_here(diagnostic.help("write `let x = 0;`: every local may be assigned"));
        self.bump();
    }

    /// `break x;` where `x` is not a label alone: read as `break;`.
    pub(super) fn value_after_break(&mut self) {
        let next = self.lexeme();
        let label = next.token == Token::Name && matches!(self.peek(1), Token::Semicolon | Token::CloseBrace);
        if next.begins_line || label || !next.token.begins_expression() {
            return;
        }
        let diagnostic = Diagnostic::error("`break` has no value", self.span(), "not expected here");
        self.report_here(diagnostic.help("write `return x;`, or assign to a variable before `break;`"));
        self.skip_to(&[Token::Semicolon]);
    }

    /// `do { … } while c;`: read as a block.
    pub(super) fn foreign_do(&mut self) -> Parsed<StmtKind> {
        let diagnostic = Diagnostic::error("there is no `do`", self.span(), "not a statement");
        self.report_here(diagnostic.help("write `loop { …; if !c { break; } }`"));
        self.bump();
        let body = self.block()?;
        if self.eat(Token::While) {
            self.condition()?;
            self.expect_semicolon()?;
        }
        Ok(StmtKind::Block(body))
    }

    /// `x }`: the last expression of a block without its `;`.
    pub(super) fn value_of_block(&mut self) {
        let diagnostic = Diagnostic::error("`;` is missing", self.gap(), "expected `;`");
        self.report_here(diagnostic.help("write `return x;` for a result: a block has no value"));
    }

    pub(super) fn foreign_assignment(&mut self) -> Reported {
        let text = self.text_of(self.lexeme());
        let sign = text.trim_end_matches('=');
        let diagnostic = Diagnostic::error(
            format!("there is no assignment `{text}`"),
            self.span(),
            "expected `=`, `+=` or `-=`",
        );
        self.report_here(diagnostic.help(format!("write `x = x {sign} y;`")))
    }

    pub(super) fn report_label_without_quote(&mut self) {
        let name = self.text_of(self.lexeme());
        let diagnostic = Diagnostic::error("a label begins with a quote", self.span(), "expected a label");
        self.report_here(
            diagnostic.help(format!("write `'{name}`, and label the loop with `'{name}: loop {{ … }}`")),
        );
    }

    /// `and`, `or` and `not` in the place of an operator: taken as meant.
    pub(super) fn operator_as_word(&mut self, meant: &str) {
        let word = self.text_of(self.lexeme()).to_owned();
        let title = format!("there is no operator `{word}`");
        let diagnostic = Diagnostic::error(title, self.span(), format!("expected `{meant}`"));
        self.report_here(diagnostic.help(format!("write `{meant}`")));
    }

    /// `Box::new(…)`: the word `new` after a path.
    pub(super) fn qualified_new(&mut self, qualifier: &Name) -> Reported {
        let title = format!("there is no `{}::new`", qualifier.text);
        let diagnostic = Diagnostic::error(title, self.span(), "not a name here");
        self.report_here(diagnostic.help("write `new Node { field: value }`, which gives a pointer"))
    }

    pub(super) fn else_without_if(&mut self) -> Reported {
        let diagnostic = Diagnostic::error("`else` without `if`", self.span(), "no `if` ends just before it");
        self.report_here(diagnostic.help("remove the `;` between `}` and `else`"))
    }

    /// An item, indented as a statement: read for its errors and left out.
    pub(super) fn item_in_block(&mut self) -> Reported {
        let diagnostic = Diagnostic::error(
            format!("{} begins an item; a block cannot contain items", self.describe_current()),
            self.span(),
            "not a statement",
        );
        let reported =
            self.report_here(diagnostic.help("move it out of the block; declare variables with `let`"));
        self.bump();
        reported
    }

    /// `for (i = 0; i < n; i++)`: past the parentheses, to the body.
    pub(super) fn foreign_for(&mut self) -> Parsed<StmtKind> {
        let mut ahead = 0;
        while !matches!(self.peek(ahead), Token::Semicolon | Token::OpenBrace | Token::In | Token::EndOfFile)
        {
            ahead += 1;
        }
        let help = if self.peek(ahead) == Token::In {
            "remove the parentheses: `for x in …`"
        } else {
            "write `for i in 0..n { … }`, or a `while`"
        };
        let diagnostic = self.unexpected_diagnostic("the name of the loop's variable");
        self.report_here(diagnostic.help(help));
        while !matches!(self.current(), Token::OpenBrace | Token::CloseBrace | Token::EndOfFile)
            && !self.begins_item()
        {
            self.bump();
        }
        self.block().map(StmtKind::Block)
    }

    pub(super) fn comma_after_arm(&mut self) {
        let diagnostic =
            Diagnostic::error("unexpected `,` between the arms of a `match`", self.span(), "a comma");
        self.report_here(diagnostic.help("remove it"));
        self.bump();
    }

    /// `pattern => statement,`: reported, and skipped to the next arm.
    pub(super) fn arm_without_block(&mut self, start: Span, pattern: Option<Expr>) -> Parsed<Arm> {
        let diagnostic = self.unexpected_diagnostic("`{`");
        self.report_here(diagnostic.help("write a block: `pattern => { … }`"));
        let body = self.span();
        self.bump();
        let mut open = 0usize;
        loop {
            let next = self.lexeme();
            match next.token {
                Token::EndOfFile => break,
                Token::Comma | Token::Semicolon if open == 0 => {
                    self.bump();
                    break;
                }
                Token::CloseBrace | Token::CloseParen | Token::CloseBracket if open == 0 => break,
                _ if open == 0 && next.begins_line => break,
                Token::OpenBrace | Token::OpenParen | Token::OpenBracket => open += 1,
                Token::CloseBrace | Token::CloseParen | Token::CloseBracket => open -= 1,
                _ => {}
            }
            self.bump();
        }
        Ok(Arm { pattern, body: empty_block(self.since(body)), span: self.since(start) })
    }
}

// Slips in declarations.
impl Parser<'_> {
    /// What could not be an item.
    pub(super) fn not_an_item(&mut self) -> Reported {
        let lexeme = self.lexeme();
        let text = self.text_of(lexeme);
        let diagnostic = self.unexpected_diagnostic("an item");
        let help = match (lexeme.token, text) {
            (Token::Name, "pub") => "remove `pub`: everything is visible",
            (Token::Name, "public" | "private" | "protected" | "export") => {
                "remove it: everything is visible"
            }
            (Token::Name, "async" | "unsafe" | "final" | "abstract" | "inline" | "extern") => {
                "remove it: an item has no such word"
            }
            (Token::Name, "synchronized") => {
                "declare `shared m: lock;`, and write `m.lock();` and `defer m.unlock();`"
            }
            (Token::Name, "typedef") => "write `type Name = …;` for another name of a type",
            (Token::Name, "mod") => "a module is a file beside this one: `use name::Item;`",
            (Token::Name, "def" | "func" | "function" | "procedure" | "proc" | "void") => {
                "an operation begins with `op`, a function with `fn`"
            }
            (Token::Name, "thread_local" | "threadlocal" | "ThreadLocal") => {
                "declare `local name: type;`, one variable per thread"
            }
            (Token::Name, "static" | "global" | "volatile" | "var") | (Token::Let, _) => {
                "declare `shared name: type;`, or `local name: type;` for one variable per thread"
            }
            (Token::Name, "class" | "union" | "trait" | "interface") => {
                "use `struct` for cells of the heap and `word` for values; the file is the object"
            }
            (Token::Name, _) if self.peek(1) == Token::OpenParen => {
                "an operation begins with `op`, a function with `fn`"
            }
            (Token::Hash, _) => "a comment begins with `//`",
            (Token::Name, "import" | "include" | "using" | "from") => {
                "take names of another file with `use name::Item;`"
            }
            (Token::Name, "check") => "write `check { threads: 2, nodes: 3; linearizable; }`",
            (Token::Name, "init") => "write `init { … }`",
            (token, _) if token.begins_statement() => "write statements in an `op`, a `fn` or `init`",
            _ => {
                "an item begins with `memory`, `use`, `const`, `type`, `enum`, `struct`, `word`, `shared`, `local`, \
                 `init`, `op`, `fn`, `impl`, `hash`, `role`, `spec`, `check` or `prove`"
            }
        };
        self.report_here(diagnostic.help(help))
    }

    /// Reports and skips `pub` and similar words in front of an item.
    pub(super) fn foreign_modifier(&mut self) {
        const MODIFIERS: [&str; 11] = [
            "pub",
            "public",
            "private",
            "protected",
            "export",
            "async",
            "unsafe",
            "final",
            "abstract",
            "inline",
            "synchronized",
        ];
        let restricted = self.at_word("pub") && self.peek(1) == Token::OpenParen;
        let modifier = self.at(Token::Name) && MODIFIERS.contains(&self.text_of(self.lexeme()));
        if restricted || modifier && self.peek(1).begins_item() {
            self.not_an_item();
            self.bump();
            if restricted && self.skip_to(&[Token::CloseParen]) {
                self.bump();
            }
        }
    }

    pub(super) fn result_without_arrow(&mut self) {
        let diagnostic =
            Diagnostic::error("`->` is missing before the result type", self.gap(), "expected `->`");
        self.report_here(diagnostic.help("write `op name(x: type) -> type`"));
        if matches!(self.current(), Token::Colon | Token::FatArrow) {
            self.bump();
        }
    }

    /// `object Name;`
    pub(super) fn object_without_specification(&mut self, name: &Name) -> Reported {
        let diagnostic = self.unexpected_diagnostic(Token::Colon.spelling());
        self.report_here(
            diagnostic
                .help(format!("name the specification: `object {}: Stack;`, or one of the file", name.text)),
        )
    }

    /// `threads = 2` and `linearizable = true` in a `check`.
    pub(super) fn equals_in_check(&mut self, name: &Name) -> Reported {
        let diagnostic = self.unexpected_diagnostic("`:` or `;`");
        self.report_here(diagnostic.help(match self.peek(1) {
            Token::Int | Token::Minus => format!("write a bound with a colon: `{}: 2`", name.text),
            _ => format!("write the property alone, or `{}: violated;`", name.text),
        }))
    }

    /// At `&self`, also `self`, of an operation: left out.
    pub(super) fn self_of_operation(&mut self) {
        let diagnostic = Diagnostic::error("an operation has no `self`", self.span(), "not needed");
        self.report_here(diagnostic.help("remove it: the object's variables are used by their names"));
        while !matches!(self.current(), Token::Comma | Token::CloseParen | Token::EndOfFile) {
            self.bump();
        }
        self.eat(Token::Comma);
    }

    pub(super) fn reference_to_self(&mut self) {
        let diagnostic = Diagnostic::error("there are no references", self.span(), "not needed");
        self.report_here(
            diagnostic.help("write `self`: it is the place before the dot, and can be assigned"),
        );
        self.bump();
        self.eat_word("mut");
    }

    pub(super) fn type_of_constant(&mut self) {
        let diagnostic = Diagnostic::error("a constant has no type", self.span(), "expected `=`");
        self.report_here(diagnostic.help("write `const N = 2;`"));
        self.bump();
        if self.ty().is_err() {
            self.skip_to(&[Token::Assign]);
        }
    }
}
