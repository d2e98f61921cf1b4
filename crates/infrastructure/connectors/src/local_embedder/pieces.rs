//! How a word is cut into tokens, in the three ways that models of the layout use.

use std::collections::HashMap;

use serde_json::Value;

pub(super) enum Pieces {
    WordPiece(WordPiece),
    Unigram(Unigram),
    Bpe(Bpe),
}

/// The longest known beginning, then the longest known beginning of the rest.
pub(super) struct WordPiece {
    vocabulary: HashMap<String, u32>,
    /// Written before a part that does not begin a word.
    prefix: String,
}

/// The parts whose scores have the largest sum.
pub(super) struct Unigram {
    vocabulary: HashMap<String, (u32, f64)>,
    /// Characters of the longest part.
    longest: usize,
    /// The score of a character that is in no part.
    unknown: f64,
}

/// Single characters, of which neighbours are joined in the order in which they were learnt.
pub(super) struct Bpe {
    vocabulary: HashMap<String, u32>,
    /// The rank of a pair, and the token that it becomes.
    merges: HashMap<(u32, u32), (usize, u32)>,
    has_bytes: bool,
}

impl Pieces {
    /// Reads the part `model` of a tokenizer.
    pub(super) fn parse(model: &Value) -> Result<Self, String> {
        // Older files name no kind.
        let kind =
            model["type"].as_str().unwrap_or(if model["merges"].is_array() { "BPE" } else { "WordPiece" });
        match kind {
            "WordPiece" => Ok(Self::WordPiece(WordPiece {
                vocabulary: vocabulary(model)?,
                prefix: model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned(),
            })),
            "Unigram" => Unigram::parse(model).map(Self::Unigram),
            "BPE" => Bpe::parse(model).map(Self::Bpe),
            other => Err(format!("cuts words by {other}, which is not supported; choose another model")),
        }
    }

    /// Adds the tokens of a word.
    pub(super) fn add_tokens(&self, word: &str, tokens: &mut Vec<u32>) {
        match self {
            Self::WordPiece(pieces) => pieces.add_tokens(word, tokens),
            Self::Unigram(pieces) => pieces.add_tokens(word, tokens),
            Self::Bpe(pieces) => pieces.add_tokens(word, tokens),
        }
    }
}

fn vocabulary(model: &Value) -> Result<HashMap<String, u32>, String> {
    let entries = model["vocab"].as_object().ok_or("has no vocabulary")?.iter();
    let entry = |(piece, id): (&String, &Value)| Some((piece.clone(), u32::try_from(id.as_u64()?).ok()?));
    Ok(entries.filter_map(entry).collect())
}

impl WordPiece {
    fn add_tokens(&self, word: &str, tokens: &mut Vec<u32>) {
        let known = tokens.len();
        let mut rest = word;
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { self.prefix.as_str() };
            let ends = rest.char_indices().rev().map(|(begin, sign)| begin + sign.len_utf8());
            let piece = |end: usize| self.vocabulary.get(&format!("{prefix}{}", &rest[..end])).copied();
            let found = ends.into_iter().find_map(|end| Some((end, piece(end)?)));
            let Some((end, token)) = found else {
                // A word of which a part is unknown is unknown.
                tokens.truncate(known);
                return;
            };
            tokens.push(token);
            rest = &rest[end..];
        }
    }
}

impl Unigram {
    fn parse(model: &Value) -> Result<Self, String> {
        let unknown_id = model["unk_id"].as_u64();
        let entries = model["vocab"].as_array().ok_or("has no vocabulary")?.iter().zip(0u32..);
        let entry = |(entry, id): (&Value, u32)| {
            let is_known = unknown_id != Some(u64::from(id));
            is_known.then_some(())?;
            Some((entry[0].as_str()?.to_owned(), (id, entry[1].as_f64()?)))
        };
        let vocabulary: HashMap<String, (u32, f64)> = entries.filter_map(entry).collect();
        let longest = vocabulary.keys().map(|piece| piece.chars().count()).max().unwrap_or(0);
        let least = vocabulary.values().map(|(_, score)| *score).fold(0.0, f64::min);
        Ok(Self { vocabulary, longest, unknown: least - 10.0 })
    }

    fn add_tokens(&self, word: &str, tokens: &mut Vec<u32>) {
        let places: Vec<usize> = word.char_indices().map(|(place, _)| place).chain([word.len()]).collect();
        // For each place the best score up to it, where its last part begins, and the token of that part.
        let mut best: Vec<(f64, usize, Option<u32>)> = vec![(0.0, 0, None)];
        for end in 1..places.len() {
            let mut chosen = (best[end - 1].0 + self.unknown, end - 1, None);
            for begin in end.saturating_sub(self.longest)..end {
                if let Some((token, score)) = self.vocabulary.get(&word[places[begin]..places[end]])
                    && best[begin].0 + score > chosen.0
                {
                    chosen = (best[begin].0 + score, begin, Some(*token));
                }
            }
            best.push(chosen);
        }
        let (begun, mut end) = (tokens.len(), places.len() - 1);
        while end > 0 {
            tokens.extend(best[end].2);
            end = best[end].1;
        }
        tokens[begun..].reverse();
    }
}

impl Bpe {
    fn parse(model: &Value) -> Result<Self, String> {
        let vocabulary = vocabulary(model)?;
        let mut merges = HashMap::new();
        for (merge, rank) in model["merges"].as_array().ok_or("has no merges")?.iter().zip(0..) {
            // Written as two texts, or in older files as one with a space.
            let pair = match merge {
                Value::String(pair) => pair.split_once(' '),
                pair => pair[0].as_str().zip(pair[1].as_str()),
            };
            let (first, second) = pair.ok_or("has a merge that is no pair")?;
            let id = |piece: &str| vocabulary.get(piece).copied();
            if let (Some(one), Some(other), Some(both)) =
                (id(first), id(second), id(&format!("{first}{second}")))
            {
                merges.entry((one, other)).or_insert((rank, both));
            }
        }
        Ok(Self { vocabulary, merges, has_bytes: model["byte_fallback"].as_bool().unwrap_or(false) })
    }

    fn add_tokens(&self, word: &str, tokens: &mut Vec<u32>) {
        let mut pieces = Vec::with_capacity(word.len());
        let mut buffer = [0; 4];
        for sign in word.chars() {
            let sign = sign.encode_utf8(&mut buffer);
            match self.vocabulary.get(sign) {
                Some(token) => pieces.push(*token),
                None if self.has_bytes => {
                    pieces.extend(
                        sign.bytes().filter_map(|byte| self.vocabulary.get(&format!("<0x{byte:02X}>"))),
                    );
                }
                None => {}
            }
        }
        let rank = |pair: &[u32]| self.merges.get(&(pair[0], pair[1])).copied();
        while let Some((place, (_, both))) = pieces
            .windows(2)
            .enumerate()
            .filter_map(|(place, pair)| Some((place, rank(pair)?)))
            .min_by_key(|(place, (rank, _))| (*rank, *place))
        {
            pieces[place] = both;
            pieces.remove(place + 1);
        }
        tokens.extend(pieces);
    }
}
