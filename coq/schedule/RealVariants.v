(** Variants over the real numbers. *)

From Coq Require Import Reals.
From Vouch Require Import array.Syntax array.Semantics array.RealNumbers schedule.Variants.
Local Open Scope R_scope.

Lemma reals_add erf : adds (reals erf).
Proof.
  split; cbn [reals num cst op2 op3 zero].
  - intros x y z. symmetry. apply Rplus_assoc.
  - intros x y. apply Rplus_comm.
  - intros x. rewrite Rmult_0_l. apply Rplus_0_l.
  - reflexivity.
Qed.
