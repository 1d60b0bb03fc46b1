(** Variants over the real numbers. *)

From Coq Require Import Reals.
From Vouch Require Import array.Syntax array.Semantics array.RealNumbers schedule.Variants.
Local Open Scope R_scope.

(** Of the reals a fused product is a product and a sum ([unfused] of index/Fuse.v). *)
Lemma reals_unfused erf x y z :
  op3 (reals erf) Fma x y z = op2 (reals erf) Add z (op2 (reals erf) Mul x y).
Proof. cbn. apply Rplus_comm. Qed.

Lemma reals_add erf : adds (reals erf).
Proof.
  split; cbn [reals num cst op2 op3 zero].
  - intros x y z. symmetry. apply Rplus_assoc.
  - intros x y. apply Rplus_comm.
  - intros x. rewrite Rmult_0_l. apply Rplus_0_l.
  - reflexivity.
Qed.
