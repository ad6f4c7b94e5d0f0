//! The words of the language.
//!
//! Reserved are the words that begin a statement, an expression, or one of the common items. All other words
//! of the grammar (`word`, `check`, `state`, `when`, `of`, the names of types …) are names. They have a
//! meaning only where the grammar asks for it: a field may be called `key`, `lock` or `state`.

use logos::Logos;

#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n\x0C\u{feff}]+")]
pub(super) enum Token {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    /// Letters are part of a number, so `12ab` and `0x1f` are one error each.
    #[regex("[0-9][A-Za-z0-9_]*")]
    Int,
    #[regex("'[A-Za-z_][A-Za-z0-9_]*")]
    Label,
    #[token("_", priority = 3)]
    Underscore,

    #[token("let")]
    Let,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("match")]
    Match,
    #[token("loop")]
    Loop,
    #[token("while")]
    While,
    #[token("for")]
    For,
    #[token("in")]
    In,
    #[token("break")]
    Break,
    #[token("continue")]
    Continue,
    #[token("return")]
    Return,
    #[token("defer")]
    Defer,
    #[token("atomic")]
    Atomic,
    #[token("await")]
    Await,
    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("lin")]
    Lin,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("null")]
    Null,
    #[token("none")]
    None,
    #[token("me")]
    Me,
    #[token("self")]
    SelfPlace,
    #[token("new")]
    New,
    #[token("choose")]
    Choose,

    #[token("use")]
    Use,
    #[token("const")]
    Const,
    #[token("type")]
    Type,
    #[token("enum")]
    Enum,
    #[token("struct")]
    Struct,
    #[token("shared")]
    Shared,
    #[token("op")]
    Op,
    #[token("fn")]
    Fn,
    #[token("impl")]
    Impl,
    #[token("spec")]
    Spec,

    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("::")]
    PathSeparator,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("..=")]
    DotDotEqual,
    #[token("->")]
    Arrow,
    #[token("=>")]
    FatArrow,
    #[token("#")]
    Hash,
    #[token("?")]
    Question,
    #[token("&")]
    Ampersand,
    #[token("|")]
    Bar,
    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("||")]
    OrOr,
    #[token("&&")]
    AndAnd,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Bang,

    // Not in the language, but known, so that each gets its own message.
    #[token("===")]
    #[token("!==")]
    StrictEqual,
    #[token("*=")]
    #[token("/=")]
    #[token("%=")]
    #[token("|=")]
    #[token("&=")]
    ForeignAssign,
    #[token("/*", to_end_of_block_comment)]
    BlockComment,
    #[regex("\"[^\"\n]*\"?")]
    #[regex("'[^'\n]'")]
    QuotedText,

    #[regex("//[^\n]*", allow_greedy = true)]
    Comment,

    /// Made by the lexer, never found in the text.
    EndOfFile,
}

impl Token {
    pub(super) fn is_reserved_word(self) -> bool {
        self.begins_statement()
            || self.begins_item()
            || matches!(
                self,
                Token::Else
                    | Token::In
                    | Token::True
                    | Token::False
                    | Token::Null
                    | Token::None
                    | Token::Me
                    | Token::SelfPlace
                    | Token::New
                    | Token::Choose
            )
    }

    /// The reserved words that can only be the first of an item.
    pub(super) fn begins_item(self) -> bool {
        use Token::*;
        matches!(self, Use | Const | Type | Enum | Struct | Shared | Op | Fn | Impl | Spec)
    }

    /// The reserved words that can only be the first of a statement.
    pub(super) fn begins_statement(self) -> bool {
        use Token::*;
        matches!(
            self,
            Let | If
                | Match
                | Loop
                | While
                | For
                | Break
                | Continue
                | Return
                | Defer
                | Atomic
                | Await
                | Assert
                | Assume
                | Lin
        )
    }

    pub(super) fn begins_expression(self) -> bool {
        use Token::*;
        matches!(
            self,
            Name | Int
                | True
                | False
                | Null
                | None
                | Me
                | SelfPlace
                | New
                | Choose
                | OpenParen
                | OpenBracket
                | Bang
                | Minus
                | Bar
        )
    }

    /// How the token is spelled when a message asks for it; tokens with a text of their own are named by
    /// kind.
    pub(super) fn spelling(self) -> &'static str {
        match self {
            Token::Name => "a name",
            Token::Int => "a number",
            Token::Label => "a label",
            Token::OpenParen => "`(`",
            Token::CloseParen => "`)`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::OpenBrace => "`{`",
            Token::CloseBrace => "`}`",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::PathSeparator => "`::`",
            Token::Arrow => "`->`",
            Token::FatArrow => "`=>`",
            Token::Assign => "`=`",
            Token::Less => "`<`",
            Token::Greater => "`>`",
            Token::Bar => "`|`",
            Token::In => "`in`",
            Token::Op => "`op`",
            Token::Fn => "`fn`",
            Token::EndOfFile => "the end of the file",
            _ => "a token",
        }
    }
}

/// Whether a name is one of a type, a word or a constant.
pub(super) fn is_capitalised(name: &str) -> bool {
    name.trim_start_matches('_').starts_with(|c: char| c.is_ascii_uppercase())
}

fn to_end_of_block_comment(lexer: &mut logos::Lexer<Token>) {
    let rest = lexer.remainder();
    let length = rest.find("*/").map_or(rest.len(), |end| end + 2);
    lexer.bump(length);
}
