(** What the headline theorems assume: nothing, but for the real numbers as scalars. They are
    asked about all at once: what they share is then looked at once. *)

From Vouch Require Import Main array.Binary32 array.RealNumbers.
From Vouch Require Import lower.Rules lower.Counterexamples certify.CodeRules.
From Vouch Require Import certify.DotExample certify.MatmulExample certify.TiledExample.
From Vouch Require Import certify.Corollaries certify.Examples certify.Computes.

Definition headlines :=
  (check_sound, lowering_correct, lowering_safe, in_place_correct, no_race,
   no_overflow, certificate_sound, certificate_means, certificate_of_one_text,
   index_certificate_means, in_place_reversal, binary32, DotExample.dot_computes,
   matmul_computes, tiled_computes, Examples.certify, strategies_agree, runs_exists,
   runs_value, reads).

Print Assumptions headlines.

(** These are the axioms of the standard library's real numbers. *)
Print Assumptions reals.
