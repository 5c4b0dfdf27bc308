//! How many tokens of a model a text costs.

/// Tokens of `text` in the o200k vocabulary.
///
/// The first call in a process loads the vocabulary, which takes some tens of milliseconds: call it off the JavaScript thread.
pub fn count(text: &str) -> usize {
    bpe_openai::o200k_base().count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_published_vocabulary() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("antidisestablishmentarianism"), 6);
        assert_eq!(count("数据库"), 1);
    }
}
