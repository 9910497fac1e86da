//! Licence expressions, as far as packages use them: identifiers, `OR`, `AND`, `WITH`, brackets, and the old `/`.

/// Whether the expression can be met with licences that `allowed` accepts. An expression nobody can read is not.
pub(crate) fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut parser = Parser { words: spaced.split_whitespace().collect(), at: 0, allowed };
    parser.either() == Some(true) && parser.at == parser.words.len()
}

struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a dyn Fn(&str) -> bool,
}

impl<'a> Parser<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied()?;
        self.at += 1;
        Some(word)
    }

    fn skip(&mut self, word: &str) -> bool {
        let there = self.words.get(self.at) == Some(&word);
        self.at += usize::from(there);
        there
    }

    fn either(&mut self) -> Option<bool> {
        let mut met = self.both()?;
        while self.skip("OR") {
            met |= self.both()?;
        }
        Some(met)
    }

    fn both(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.skip("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.skip("(") {
            let met = self.either()?;
            return self.skip(")").then_some(met);
        }
        let met = (self.allowed)(self.take()?);
        // An exception only ever permits more.
        if self.skip("WITH") {
            self.take()?;
        }
        Some(met)
    }
}

mod tests {
    use super::satisfied;

    #[track_caller]
    fn check(expression: &str, expected: bool) {
        assert_eq!(satisfied(expression, &|name| ["MIT", "Apache-2.0"].contains(&name)), expected);
    }

    #[test]
    fn expressions() {
        check("MIT", true);
        check("GPL-3.0", false);
        check("GPL-3.0 OR MIT", true);
        check("GPL-3.0/MIT", true);
        check("GPL-3.0 AND MIT", false);
        check("(MIT OR GPL-3.0) AND Apache-2.0", true);
        check("MIT OR GPL-3.0 AND GPL-2.0", true);
        check("Apache-2.0 WITH LLVM-exception", true);
        check("GPL-2.0 WITH Classpath-exception-2.0", false);
    }

    #[test]
    fn nonsense_is_refused() {
        check("", false);
        check("MIT OR", false);
        check("(MIT", false);
        check("MIT Apache-2.0", false);
    }
}
