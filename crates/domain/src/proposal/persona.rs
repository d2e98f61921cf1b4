//! The five personas and the weights of their scores.

use crate::pipeline::{StepName, UnknownName};

/// How far the weights may be from adding up to 1.
const TOLERANCE: f64 = 0.0001;

/// A point of view from which a model reviews a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are the documentation.
pub enum Persona {
    Architect,
    Critic,
    Optimist,
    /// Holds the veto.
    SecurityGuardian,
    UserAdvocate,
}

impl Persona {
    /// All of them, in the order in which they review and in which their scores are added.
    pub const ALL: [Self; 5] =
        [Self::Architect, Self::Critic, Self::Optimist, Self::SecurityGuardian, Self::UserAdvocate];

    /// The `persona_id`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Architect => "architect",
            Self::Critic => "critic",
            Self::Optimist => "optimist",
            Self::SecurityGuardian => "security_guardian",
            Self::UserAdvocate => "user_advocate",
        }
    }

    /// The name that people see.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Architect => "Architect",
            Self::Critic => "Critic",
            Self::Optimist => "Optimist",
            Self::SecurityGuardian => "SecurityGuardian",
            Self::UserAdvocate => "UserAdvocate",
        }
    }

    /// The share of its score in the weighted confidence.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Architect | Self::Critic => 0.25,
            Self::Optimist | Self::UserAdvocate => 0.15,
            Self::SecurityGuardian => 0.20,
        }
    }

    /// What it looks at.
    pub const fn focus(self) -> &'static str {
        match self {
            Self::Architect => "design, scalability, maintainability",
            Self::Critic => "risks, edge cases, failure modes",
            Self::Optimist => "strengths, feasibility, opportunity",
            Self::SecurityGuardian => "vulnerabilities, data protection, authentication",
            Self::UserAdvocate => "usability, accessibility, user value",
        }
    }

    /// The step in which it reviews.
    pub const fn step(self) -> StepName {
        match self {
            Self::Architect => StepName::ReviewArchitect,
            Self::Critic => StepName::ReviewCritic,
            Self::Optimist => StepName::ReviewOptimist,
            Self::SecurityGuardian => StepName::ReviewSecurity,
            Self::UserAdvocate => StepName::ReviewUserAdvocate,
        }
    }

    /// The persona that reviews in that step.
    pub fn of_step(step: StepName) -> Option<Self> {
        Self::ALL.into_iter().find(|persona| persona.step() == step)
    }

    /// The persona of that id.
    pub fn parse(id: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|persona| persona.id() == id).ok_or_else(|| UnknownName {
            what: "persona",
            name: id.to_owned(),
            known: Self::ALL.map(Self::id).join(", "),
        })
    }
}

/// The weights do not add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the weights of the personas add up to {sum}; they must add up to 1")]
pub struct WeightsError {
    /// What they add up to.
    pub sum: f64,
}

/// Checks that weights add up to 1. The program does so with those of [`Persona::ALL`] when it starts.
pub fn check_weights(weights: impl IntoIterator<Item = f64>) -> Result<(), WeightsError> {
    let sum: f64 = weights.into_iter().sum();
    if (sum - 1.0).abs() <= TOLERANCE { Ok(()) } else { Err(WeightsError { sum }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R147.
    #[test]
    fn the_weights_of_the_personas_are_fixed_and_others_that_do_not_add_up_to_one_are_refused() {
        let weights = [0.25_f64, 0.25, 0.15, 0.20, 0.15];
        assert_eq!(Persona::ALL.map(|persona| persona.weight().to_bits()), weights.map(f64::to_bits));
        assert_eq!(check_weights(Persona::ALL.map(Persona::weight)), Ok(()));
        assert_eq!(check_weights([0.5, 0.500_05]), Ok(()));
        assert!(check_weights([0.5, 0.500_2]).is_err());
        assert!(check_weights([0.5, 0.499_8]).is_err());
        assert!(check_weights([f64::NAN]).is_err());
        assert!(check_weights([]).unwrap_err().to_string().contains("must add up to 1"));
    }

    #[test]
    fn each_persona_has_its_own_id_and_step_in_the_order_of_the_pipeline() {
        let orders: Vec<_> = Persona::ALL.iter().map(|persona| persona.step().order()).collect();
        assert_eq!(orders, [1, 2, 3, 4, 5]);
        for persona in Persona::ALL {
            assert_eq!(Persona::parse(persona.id()), Ok(persona));
            assert_eq!(Persona::of_step(persona.step()), Some(persona));
            assert!(!persona.focus().is_empty());
        }
        assert_eq!(Persona::of_step(StepName::Expand), None);
        assert!(Persona::parse("Architect").unwrap_err().to_string().contains("architect, critic"));
    }
}
