(** What the headline theorems assume: nothing, but for the real numbers as scalars. They are
    asked about all at once: what they share is then looked at once. *)

From Vouch Require imp.Gather.
From Vouch Require Import Main array.Binary32 array.Wrapped array.RealNumbers.
From Vouch Require Import lower.Rules lower.Counterexamples certify.CodeRules.
From Vouch Require Import certify.DotExample certify.MatmulExample certify.TiledExample.
From Vouch Require Import certify.Corollaries certify.Examples certify.Computes index.VersionsExample.
From Vouch Require Import schedule.Variants schedule.RealVariants.

Definition headlines :=
  (check_sound, lowering_correct, lowering_safe, in_place_correct, no_race,
   no_overflow, certificate_sound, certificate_means, certificate_of_one_text, checked_form,
   index_certificate_means, versions_mean, fused_versions_mean, reordered_versions_mean, functional_versions_mean, fused_certificate_means, lanes_kernel_means, lanes_program_means, lanes_are_fixed, reader_means, functional_certificate_means, library_means, library_unfused, chain_means, gradient_certificate_means, gradient_text_means, gathering_means, no_iteration, bounded_loops_mean, regrouping_means, integers_regroup, witness_means, in_place_reversal, binary32,
   wrapped, imp.Gather.wrapped_tells_positions, sum_written, difference_written, product_written, negation_written, quotient_written,
   DotExample.dot_computes,
   matmul_computes, tiled_computes, Examples.certify, twice_checked, strategies_agree, runs_exists,
   runs_value, reads, variants_agree, dot_product, dot_product_split, sum_vec_sum_vec_split,
   norm1_norm1_split, norm2_norm2_split, axpy_vec_axpy_simd, matmul_matmul_rows, floats_have_laws,
   sum_mat_sum_mat_lanes, dense_dense_tiled, a_2_safe).

Print Assumptions headlines.

(** These are the axioms of the standard library's real numbers. *)
Definition over_reals := (reals_add, fused_is_real, lanes_are_real, gradient_derivative_means, reals_regroup).
Print Assumptions over_reals.
