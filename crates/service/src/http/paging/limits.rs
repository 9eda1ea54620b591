//! The number of rows a page may have.

use crate::problem::{HttpResult, Problem};

/// The page sizes of one list.
#[derive(Clone, Copy, Debug)]
pub struct PageLimits {
    rows_default: usize,
    rows_max: usize,
}

impl PageLimits {
    /// Page sizes: `rows_default` when the caller asks for none, `rows_max` at most.
    #[must_use]
    pub const fn new(rows_default: usize, rows_max: usize) -> Self {
        Self { rows_default, rows_max }
    }

    /// The size of a page for the limit that the caller asked for.
    ///
    /// # Errors
    /// 400 `invalid_fields` when it is zero or too large.
    pub fn rows(self, limit: Option<usize>) -> HttpResult<usize> {
        match limit {
            None => Ok(self.rows_default),
            Some(rows) if (1..=self.rows_max).contains(&rows) => Ok(rows),
            Some(rows) => {
                let message = format!("{rows} is not between 1 and {}", self.rows_max);
                Err(Problem::invalid_field("limit", "out_of_range", message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageLimits;

    #[test]
    fn a_page_has_bounds() {
        let limits = PageLimits::new(20, 100);
        assert_eq!(limits.rows(None).unwrap(), 20);
        assert_eq!(limits.rows(Some(100)).unwrap(), 100);
        for wrong in [0, 101, usize::MAX] {
            let problem = limits.rows(Some(wrong)).unwrap_err();
            assert_eq!(problem.errors()[0].field, "limit");
        }
    }
}
