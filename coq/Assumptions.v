(** What the headline theorems assume: nothing, but for the real numbers as scalars. *)

From Vouch Require Import Main array.Binary32 array.RealNumbers.
From Vouch Require Import lower.Rules lower.Counterexamples certify.CodeRules.
From Vouch Require Import certify.DotExample certify.MatmulExample certify.TiledExample.
From Vouch Require Import certify.Corollaries certify.Examples certify.Computes.

Print Assumptions check_sound.
Print Assumptions lowering_correct.
Print Assumptions lowering_safe.
Print Assumptions in_place_correct.
Print Assumptions no_race.
Print Assumptions no_overflow.
Print Assumptions certificate_sound.
Print Assumptions certificate_means.
Print Assumptions certificate_of_one_text.
Print Assumptions index_certificate_means.
Print Assumptions in_place_reversal.
Print Assumptions binary32.
Print Assumptions DotExample.dot_computes.
Print Assumptions matmul_computes.
Print Assumptions tiled_computes.
Print Assumptions Examples.certify.
Print Assumptions strategies_agree.
Print Assumptions runs_exists.
Print Assumptions runs_value.
Print Assumptions reads.

(** These are the axioms of the standard library's real numbers. *)
Print Assumptions reals.
