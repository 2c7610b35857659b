//! The parser of texts: a part of C++'s grammar, by recursive descent.

use super::syntax::{
    Binary, Declared, Expression, Failure, Function, Kind, Statement, StatementKind, TypeName,
    Unary,
};
use super::tokens::{Placed, Token, tokens};
use super::types::Type;
use phalanx_ops::Op;

/// How deeply expressions and statements may be nested.
const DEEPEST: usize = 100;

/// The most operators of one precedence in a row.
const MOST_TERMS: usize = 1000;

/// Words that change nothing here.
const IGNORED: [&str; 8] = [
    "const",
    "volatile",
    "constexpr",
    "inline",
    "static",
    "__device__",
    "__forceinline__",
    "__host__",
];
/// The words of types of several words.
const WORDS: [&str; 7] = ["unsigned", "signed", "char", "short", "int", "long", "double"];
/// Statements that have no meaning over whole arrays.
const REFUSED: [&str; 6] = ["break", "continue", "goto", "switch", "do", "asm"];

/// Operators by their precedence, the weakest first.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::Plain(Op::BitwiseOr))],
    &[("^", Binary::Plain(Op::BitwiseXor))],
    &[("&", Binary::Plain(Op::BitwiseAnd))],
    &[("==", Binary::Plain(Op::Equal)), ("!=", Binary::Plain(Op::NotEqual))],
    &[
        ("<", Binary::Plain(Op::Less)),
        ("<=", Binary::Plain(Op::LessEqual)),
        (">", Binary::Plain(Op::Greater)),
        (">=", Binary::Plain(Op::GreaterEqual)),
    ],
    &[("<<", Binary::Plain(Op::LeftShift)), (">>", Binary::Plain(Op::RightShift))],
    &[("+", Binary::Plain(Op::Add)), ("-", Binary::Plain(Op::Subtract))],
    &[
        ("*", Binary::Plain(Op::Multiply)),
        ("/", Binary::Plain(Op::Divide)),
        ("%", Binary::Plain(Op::Fmod)),
    ],
];

/// The parser, with the names of types that the text may use.
pub(super) struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    types: Vec<String>,
    depth: usize,
}

type Parsed<T> = Result<T, Failure>;

/// The statements of a text. `types` are the placeholders of types.
pub(super) fn statements(text: &str, types: &[String]) -> Parsed<Vec<Statement>> {
    let mut parser = Parser::new(text, types)?;
    let mut found = Vec::new();
    while !parser.is_at_end() {
        // The last statement may lack its semicolon.
        parser.statement(&mut found)?;
    }
    Ok(found)
}

/// The only expression of a text.
pub(super) fn expression(text: &str, types: &[String]) -> Parsed<Expression> {
    let mut parser = Parser::new(text, types)?;
    let found = parser.expression()?;
    parser.take(";");
    match parser.is_at_end() {
        true => Ok(found),
        false => Err(parser.unexpected("the end of the expression")),
    }
}

/// The functions of a preamble.
pub(super) fn functions(text: &str, types: &[String]) -> Parsed<Vec<Function>> {
    let mut parser = Parser::new(text, types)?;
    let mut found = Vec::new();
    while !parser.is_at_end() {
        if parser.take(";") {
            continue;
        }
        found.push(parser.function()?);
    }
    Ok(found)
}

impl Parser {
    fn new(text: &str, types: &[String]) -> Parsed<Parser> {
        Ok(Parser { tokens: tokens(text)?, at: 0, types: types.to_vec(), depth: 0 })
    }

    fn token(&self, ahead: usize) -> &Token {
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)].token
    }

    fn line(&self) -> u32 {
        self.tokens[self.at].line
    }

    fn is_at_end(&self) -> bool {
        *self.token(0) == Token::End
    }

    fn is(&self, mark: &str) -> bool {
        self.is_ahead(0, mark)
    }

    fn is_ahead(&self, ahead: usize, mark: &str) -> bool {
        matches!(self.token(ahead), Token::Mark(found) if *found == mark)
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.token(ahead), Token::Name(name) if name == word)
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn take(&mut self, mark: &str) -> bool {
        let is_it = self.is(mark);
        if is_it {
            self.advance();
        }
        is_it
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_it = self.is_word(0, word);
        if is_it {
            self.advance();
        }
        is_it
    }

    fn expect(&mut self, mark: &'static str) -> Parsed<()> {
        match self.take(mark) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{mark}`"))),
        }
    }

    /// The end of the arguments of a template; `>>` ends two.
    fn close(&mut self) -> Parsed<()> {
        if self.is(">>") {
            self.tokens[self.at].token = Token::Mark(">");
            return Ok(());
        }
        self.expect(">")
    }

    fn unexpected(&self, wanted: &str) -> Failure {
        let found = match self.token(0) {
            Token::Name(name) => format!("`{name}`"),
            Token::Integer(value, _) => format!("`{value}`"),
            Token::Real(value, _) => format!("`{value}`"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => String::from("the end"),
        };
        Failure::new(self.line(), format!("{found} stands where {wanted} is expected"))
    }

    fn name(&mut self, what: &str) -> Parsed<String> {
        let Token::Name(name) = self.token(0).clone() else { return Err(self.unexpected(what)) };
        self.advance();
        Ok(name)
    }

    /// Counts a level of nesting.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            let what = format!("the text is nested more than {DEEPEST} levels deep");
            return Err(Failure::new(self.line(), what));
        }
        self.depth += 1;
        let found = parse(self);
        self.depth -= 1;
        found
    }

    /// A function of a preamble.
    fn function(&mut self) -> Parsed<Function> {
        let known = self.types.len();
        let mut types = Vec::new();
        if self.take_word("template") {
            self.expect("<")?;
            while !self.take(">") {
                if !(self.take_word("typename") || self.take_word("class")) {
                    return Err(self.unexpected("`typename`"));
                }
                types.push(self.name("the name of a type")?);
                self.take(",");
            }
            self.types.extend(types.iter().cloned());
        }
        self.skip_ignored();
        let result = match self.take_word("void") {
            true => None,
            false => Some(self.type_name()?),
        };
        let name = self.name("the name of a function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.take(")") {
            let is_constant = self.skip_ignored();
            let of = self.type_name()?;
            let is_constant = self.skip_ignored() || is_constant;
            if self.is("*") {
                return Err(Failure::new(self.line(), "pointers are not known here"));
            }
            if self.take("&") && !is_constant {
                return Err(Failure::new(
                    self.line(),
                    "references that are not constant are not known here",
                ));
            }
            parameters.push((of, self.name("the name of a parameter")?));
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        let body = self.block()?;
        self.types.truncate(known);
        Ok(Function { name, types, result, parameters, body })
    }

    fn skip_ignored(&mut self) -> bool {
        let mut is_constant = false;
        while let Token::Name(name) = self.token(0)
            && IGNORED.contains(&name.as_str())
        {
            is_constant |= name == "const" || name == "constexpr";
            self.advance();
        }
        is_constant
    }

    /// The statements between braces.
    fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut found = Vec::new();
        while !self.take("}") {
            if self.is_at_end() {
                return Err(self.unexpected("`}`"));
            }
            self.statement(&mut found)?;
        }
        Ok(found)
    }

    /// A statement or a block, as the body of another one.
    fn body(&mut self) -> Parsed<Vec<Statement>> {
        let mut found = Vec::new();
        self.statement(&mut found)?;
        Ok(found)
    }

    /// Adds a statement to those found.
    fn statement(&mut self, found: &mut Vec<Statement>) -> Parsed<()> {
        let line = self.line();
        if self.take(";") {
            return Ok(());
        }
        let kind = self.deeper(Parser::statement_kind)?;
        found.push(Statement { line, kind });
        Ok(())
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is("{") {
            return Ok(StatementKind::Block(self.block()?));
        }
        if let Token::Name(name) = self.token(0)
            && REFUSED.contains(&name.as_str())
        {
            return Err(Failure::new(self.line(), format!("`{name}` is not known here")));
        }
        if self.take_word("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let then = self.body()?;
            let otherwise = if self.take_word("else") { self.body()? } else { Vec::new() };
            return Ok(StatementKind::If { condition, then, otherwise });
        }
        if self.take_word("while") {
            self.expect("(")?;
            let condition = Some(self.expression()?);
            self.expect(")")?;
            let body = self.body()?;
            return Ok(StatementKind::Loop {
                first: Vec::new(),
                condition,
                step: Vec::new(),
                body,
            });
        }
        if self.take_word("for") {
            self.expect("(")?;
            let first = if self.is(";") { Vec::new() } else { vec![self.simple()?] };
            self.expect(";")?;
            let condition = if self.is(";") { None } else { Some(self.expression()?) };
            self.expect(";")?;
            let mut step = Vec::new();
            while !self.is(")") {
                step.push(self.simple()?);
                if !self.is(")") {
                    self.expect(",")?;
                }
            }
            self.expect(")")?;
            let body = self.body()?;
            return Ok(StatementKind::Loop { first, condition, step, body });
        }
        if self.take_word("return") {
            let value = if self.is(";") { None } else { Some(self.expression()?) };
            self.end()?;
            return Ok(StatementKind::Return(value));
        }
        let statement = self.simple()?;
        self.end()?;
        Ok(statement.kind)
    }

    /// The end of a statement.
    fn end(&mut self) -> Parsed<()> {
        match self.is_at_end() {
            true => Ok(()),
            false => self.expect(";"),
        }
    }

    /// A declaration, an assignment or a call, without its semicolon.
    fn simple(&mut self) -> Parsed<Statement> {
        let line = self.line();
        let kind = match self.is_declaration() {
            true => self.declaration()?,
            false => self.assignment()?,
        };
        Ok(Statement { line, kind })
    }

    /// Whether a declaration begins here: with a type and a name.
    fn is_declaration(&self) -> bool {
        let Token::Name(name) = self.token(0) else { return false };
        if IGNORED.contains(&name.as_str()) || name == "auto" {
            return true;
        }
        let is_type = self.is_type(0);
        if is_type && self.is_ahead(1, "*") {
            // A pointer, which a declaration refuses.
            return true;
        }
        is_type && (matches!(self.token(1), Token::Name(_)) || self.is_ahead(1, "<"))
            || (is_type && WORDS.contains(&name.as_str()) && !self.is_ahead(1, "("))
    }

    /// Whether the name of a type stands there.
    fn is_type(&self, ahead: usize) -> bool {
        let Token::Name(name) = self.token(ahead) else { return false };
        Type::of_word(name).is_some()
            || (name == "complex" && self.is_ahead(ahead + 1, "<"))
            || self.types.contains(name)
    }

    /// The name of a type.
    fn type_name(&mut self) -> Parsed<TypeName> {
        if self.take_word("auto") {
            return Ok(TypeName::Auto);
        }
        let line = self.line();
        let mut words = Vec::new();
        while let Token::Name(name) = self.token(0)
            && WORDS.contains(&name.as_str())
        {
            words.push(name.clone());
            self.advance();
        }
        if !words.is_empty() {
            let parts: Vec<&str> = words.iter().map(String::as_str).collect();
            let known = Type::of_words(&parts).map(TypeName::Known);
            let what = || Failure::new(line, format!("`{}` is no type here", parts.join(" ")));
            return known.ok_or_else(what);
        }
        let name = self.name("a type")?;
        if name == "complex" && self.take("<") {
            self.skip_ignored();
            let part = self.deeper(Parser::type_name)?;
            self.close()?;
            return Ok(TypeName::Complex(Box::new(part)));
        }
        Ok(Type::of_word(&name).map_or(TypeName::Named(name), TypeName::Known))
    }

    fn declaration(&mut self) -> Parsed<StatementKind> {
        let is_constant = self.skip_ignored();
        let of = self.type_name()?;
        let is_constant = self.skip_ignored() || is_constant;
        let mut variables = Vec::new();
        loop {
            if self.is("*") || self.is("&") {
                let what = "pointers and references are not known here";
                return Err(Failure::new(self.line(), what));
            }
            let line = self.line();
            let name = self.name("the name of a variable")?;
            if Type::of_word(&name).is_some() {
                return Err(Failure::new(line, format!("`{name}` is no name of a variable")));
            }
            let mut extent = None;
            if self.take("[") {
                extent = Some(if self.is("]") { None } else { Some(self.expression()?) });
                self.expect("]")?;
            }
            let value = match (self.take("="), self.is("{"), self.is("(")) {
                (_, true, _) => Some(self.list("{", "}")?),
                (true, ..) => Some(vec![self.expression()?]),
                (false, _, true) => Some(self.list("(", ")")?),
                _ => None,
            };
            variables.push(Declared { name, extent, value });
            if !self.take(",") {
                return Ok(StatementKind::Declare { of, is_constant, variables });
            }
        }
    }

    fn assignment(&mut self) -> Parsed<StatementKind> {
        let line = self.line();
        let step = |parser: &mut Parser| -> Option<Binary> {
            let by = if parser.take("++") {
                Op::Add
            } else if parser.take("--") {
                Op::Subtract
            } else {
                return None;
            };
            Some(Binary::Plain(by))
        };
        let one = || Expression { line, kind: Kind::Integer(1, Type::INT) };
        if let Some(by) = step(self) {
            let target = self.unary()?;
            return Ok(StatementKind::Assign { target, by: Some(by), value: one() });
        }
        let target = self.expression()?;
        if let Some(by) = step(self) {
            return Ok(StatementKind::Assign { target, by: Some(by), value: one() });
        }
        if self.take("=") {
            let value = self.expression()?;
            if self.is("=") {
                return Err(Failure::new(self.line(), "write one assignment in each statement"));
            }
            return Ok(StatementKind::Assign { target, by: None, value });
        }
        let compound = LEVELS.iter().copied().flatten().find(|(mark, _)| {
            matches!(self.token(0), Token::Mark(found)
                if found.len() == mark.len() + 1 && found.ends_with('=') && found.starts_with(mark))
        });
        if let Some((_, by)) = compound.filter(|(mark, _)| !["<", ">", "="].contains(mark)) {
            self.advance();
            let value = self.expression()?;
            return Ok(StatementKind::Assign { target, by: Some(*by), value });
        }
        match target.kind {
            Kind::Call(..) | Kind::Method(..) => Ok(StatementKind::Evaluate(target)),
            _ if self.is_at_end() || self.is(";") => {
                Err(Failure::new(line, "this expression does nothing"))
            }
            _ => Err(self.unexpected("`;` or an assignment")),
        }
    }

    /// Expressions between brackets.
    fn list(&mut self, open: &'static str, close: &'static str) -> Parsed<Vec<Expression>> {
        self.expect(open)?;
        let mut found = Vec::new();
        while !self.take(close) {
            found.push(self.expression()?);
            if !self.is(close) {
                self.expect(",")?;
            }
        }
        Ok(found)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.deeper(|parser| {
            let line = parser.line();
            let condition = parser.binary(0)?;
            if !parser.take("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.expect(":")?;
            let otherwise = parser.expression()?;
            let kind = Kind::Choice(Box::new([condition, then, otherwise]));
            Ok(Expression { line, kind })
        })
    }

    /// Operators of at least this precedence.
    fn binary(&mut self, level: usize) -> Parsed<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        for terms in 0.. {
            let line = self.line();
            if terms == MOST_TERMS {
                let what = format!("an expression has more than {MOST_TERMS} terms in a row");
                return Err(Failure::new(line, what));
            }
            let found = operators.iter().find(|(mark, _)| self.is(mark));
            let Some((_, by)) = found else { return Ok(left) };
            self.advance();
            let right = self.binary(level + 1)?;
            let kind = Kind::Binary(*by, Box::new(left), Box::new(right));
            left = Expression { line, kind };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let line = self.line();
        let marks =
            [("+", Unary::Plus), ("-", Unary::Minus), ("!", Unary::Not), ("~", Unary::Invert)];
        if let Some((_, by)) = marks.into_iter().find(|(mark, _)| self.is(mark)) {
            self.advance();
            let of = self.deeper(Parser::unary)?;
            return Ok(Expression { line, kind: Kind::Unary(by, Box::new(of)) });
        }
        if self.take("&") {
            let of = self.deeper(Parser::unary)?;
            return Ok(Expression { line, kind: Kind::Address(Box::new(of)) });
        }
        if self.is("*") {
            return Err(Failure::new(line, "pointers are not known here"));
        }
        if self.is("++") || self.is("--") {
            return Err(Failure::new(line, "write a step as a statement of its own"));
        }
        if self.is("(") && self.is_type(1) && self.is_cast() {
            self.advance();
            let to = self.type_name()?;
            self.expect(")")?;
            let of = self.deeper(Parser::unary)?;
            return Ok(Expression { line, kind: Kind::Cast(to, vec![of]) });
        }
        self.postfix()
    }

    /// Whether brackets around the name of a type begin here.
    fn is_cast(&self) -> bool {
        let mut ahead = 1;
        while matches!(self.token(ahead), Token::Name(_)) {
            ahead += 1;
        }
        self.is_ahead(ahead, ")") || self.is_ahead(ahead, "<")
    }

    fn postfix(&mut self) -> Parsed<Expression> {
        let mut found = self.primary()?;
        let mut count = 0;
        loop {
            let line = self.line();
            let kind = if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                Kind::Index(Box::new(found), Box::new(index))
            } else if self.take(".") {
                let name = self.name("the name of a method")?;
                let arguments = self.list("(", ")")?;
                Kind::Method(Box::new(found), name, arguments)
            } else {
                return Ok(found);
            };
            found = Expression { line, kind };
            count += 1;
            if count > DEEPEST {
                return Err(Failure::new(line, "the expression has too many parts"));
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let line = self.line();
        let kind = match self.token(0).clone() {
            Token::Integer(value, of) => {
                self.advance();
                Kind::Integer(value, of)
            }
            Token::Real(value, of) => {
                self.advance();
                Kind::Real(value, of)
            }
            Token::Mark("(") => {
                self.advance();
                let found = self.expression()?;
                self.expect(")")?;
                return Ok(found);
            }
            Token::Name(name) if name == "static_cast" || name == "reinterpret_cast" => {
                if name == "reinterpret_cast" {
                    return Err(Failure::new(line, "`reinterpret_cast` is not known here"));
                }
                self.advance();
                self.expect("<")?;
                let to = self.type_name()?;
                self.close()?;
                Kind::Cast(to, self.list("(", ")")?)
            }
            Token::Name(_) if self.is_type(0) => {
                let to = self.type_name()?;
                let open = if self.is("{") { ["{", "}"] } else { ["(", ")"] };
                Kind::Cast(to, self.list(open[0], open[1])?)
            }
            Token::Name(name) => {
                self.advance();
                match self.is("(") {
                    true => Kind::Call(name, self.list("(", ")")?),
                    false => Kind::Name(name),
                }
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expression { line, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_refused_with_their_line() {
        for (text, line, what) in [
            ("x = 1;\ny = ;", 2, "an expression"),
            ("x = 1\ny = 2;", 2, "`;` is expected"),
            ("if (x { y = 1; }", 1, "`)`"),
            ("{ y = 1;", 1, "`}`"),
            ("y = *x;", 1, "pointers"),
            ("\n\nfloat* p = x;", 3, "pointers"),
            ("while (x) { break; }", 1, "`break`"),
            ("x + 1;", 1, "does nothing"),
            ("y = x++;", 1, "`;`"),
            ("y = z = x;", 1, "one assignment"),
            ("#define A 1", 1, "preprocessor"),
            ("unsigned float x;", 1, "`float` is no name"),
        ] {
            let failure = statements(text, &[]).unwrap_err();
            assert_eq!(failure.line, line, "{text}: {failure:?}");
            assert!(failure.what.contains(what), "{text}: {failure:?}");
        }
        let deep = format!("y = {}x{};", "(".repeat(500), ")".repeat(500));
        assert!(statements(&deep, &[]).unwrap_err().what.contains("nested"));
        let reference = "__device__ int f(int& x) { return x; }";
        assert!(functions(reference, &[]).unwrap_err().what.contains("references"));
        assert!(functions("__device__ int f(const int& x) { return x; }", &[]).is_ok());
    }

    #[test]
    fn operators_bind_as_in_c() {
        let same = |one: &str, other: &str| {
            let lines = |text: &str| format!("{:?}", expression(text, &[]).unwrap());
            assert_eq!(lines(one), lines(other), "{one}");
        };
        same("a + b * c << d & e == f", "((a + (b * c)) << d) & (e == f)");
        same("a - b - c", "(a - b) - c");
        same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
        same("-a * !b", "(-a) * (!b)");
        same("a || b && c | d ^ e", "a || (b && (c | (d ^ e)))");
        same("(float)a * b", "((float)a) * b");
        same("a < b == c >= d", "(a < b) == (c >= d)");
    }

    /// No text makes the parser panic or hang. Texts are drawn by a linear congruential generator.
    #[test]
    fn any_text_is_parsed_or_refused() {
        const PARTS: [&str; 48] = [
            "x",
            "T",
            "float",
            "int",
            "unsigned",
            "long",
            "complex",
            "<",
            ">",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ";",
            ",",
            ".",
            "=",
            "==",
            "+",
            "-",
            "*",
            "/",
            "++",
            "+=",
            "&&",
            "&",
            "?",
            ":",
            "::",
            "if",
            "else",
            "for",
            "while",
            "return",
            "const",
            "1",
            "2.5f",
            "0x1F",
            "!",
            "~",
            "static_cast",
            "\n",
            "//",
            "template",
            "typename",
            "é",
        ];
        let mut state = 1u64;
        let mut draw = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let types = [String::from("T")];
        let mut parsed = 0;
        for _ in 0..1_000_000 {
            let count = 1 + draw(14);
            let text: Vec<&str> = (0..count).map(|_| PARTS[draw(PARTS.len())]).collect();
            let text = text.join(if draw(2) == 0 { " " } else { "" });
            parsed += usize::from(statements(&text, &types).is_ok());
            parsed += usize::from(expression(&text, &types).is_ok());
            parsed += usize::from(functions(&text, &types).is_ok());
        }
        assert!(parsed > 100, "{parsed}");
    }
}
