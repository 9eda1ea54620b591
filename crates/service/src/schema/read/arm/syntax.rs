//! The syntax of expressions in templates.
//!
//! Parsed as a whole before anything is evaluated, so that `if()` can leave one of its branches alone.

use model::Json;

/// A parsed expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplateExpression {
    Literal(Json),
    Call { name: String, arguments: Vec<TemplateExpression> },
    Member { of: Box<TemplateExpression>, name: Box<TemplateExpression> },
}

/// Parses the text between the brackets of an expression.
pub(super) fn parse(text: &str) -> Result<TemplateExpression, String> {
    let mut parser = ExpressionParser { rest: text };
    let expression = parser.expression()?;
    match parser.rest.trim() {
        "" => Ok(expression),
        rest => Err(format!("'{rest}' is left over")),
    }
}

struct ExpressionParser<'s> {
    rest: &'s str,
}

impl ExpressionParser<'_> {
    fn expression(&mut self) -> Result<TemplateExpression, String> {
        let mut value = self.primary()?;
        loop {
            let name = if self.take(".") {
                TemplateExpression::Literal(Json::from(self.word()))
            } else if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                index
            } else {
                return Ok(value);
            };
            value = TemplateExpression::Member { of: Box::new(value), name: Box::new(name) };
        }
    }

    fn primary(&mut self) -> Result<TemplateExpression, String> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('\'') => self.quoted(),
            Some(letter) if letter.is_ascii_digit() || letter == '-' => {
                let is_number = |letter: char| letter.is_ascii_digit() || letter == '-';
                let end = self.rest.find(|letter| !is_number(letter)).unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                self.rest = rest;
                let number = digits.parse::<i64>().map_err(|_| format!("'{digits}' is no number"));
                number.map(|number| TemplateExpression::Literal(Json::from(number)))
            }
            Some(letter) if letter.is_ascii_alphabetic() => self.call(),
            _ => Err(format!("'{}' cannot be read", self.rest)),
        }
    }

    fn call(&mut self) -> Result<TemplateExpression, String> {
        let name = self.word();
        // Also with parentheses, as Bicep writes them.
        let literal = match name.as_str() {
            "true" => Some(Json::from(true)),
            "false" => Some(Json::from(false)),
            "null" => Some(Json::Null),
            _ => None,
        };
        if let Some(literal) = literal {
            if self.take("(") {
                self.expect(")")?;
            }
            return Ok(TemplateExpression::Literal(literal));
        }
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            arguments.push(self.expression()?);
        }
        Ok(TemplateExpression::Call { name, arguments })
    }

    /// A quoted text; two quotes inside mean one.
    fn quoted(&mut self) -> Result<TemplateExpression, String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1).peekable();
        while let Some((place, letter)) = letters.next() {
            if letter != '\'' {
                text.push(letter);
            } else if letters.next_if(|(_, next)| *next == '\'').is_some() {
                text.push('\'');
            } else {
                self.rest = self.rest.get(place + 1..).unwrap_or_default();
                return Ok(TemplateExpression::Literal(Json::from(text)));
            }
        }
        Err("a text has no closing quote".to_owned())
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_word(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(format!("'{sign}' is missing before '{}'", self.rest)),
        }
    }
}
