(** The real numbers are such scalars. *)

From Coq Require Import Reals ZArith Bool Lia Lra Ring_theory InitialRing.
From Vouch Require Import array.Syntax array.Semantics array.RealNumbers adjoint.Rings.
Local Open Scope R_scope.

Lemma phi_reals z : gen_phiZ 0 1 Rplus Rmult Ropp z = IZR z.
Proof.
  assert (step : forall p, gen_phiPOS1 1 Rplus Rmult p = IZR (Zpos p)).
  { induction p as [p IH|p IH|]; cbn [gen_phiPOS1].
    - rewrite IH, Pos2Z.inj_xI, plus_IZR, mult_IZR. lra.
    - rewrite IH, Pos2Z.inj_xO, mult_IZR. lra.
    - reflexivity. }
  assert (same : forall p, gen_phiPOS 1 Rplus Rmult p = gen_phiPOS1 1 Rplus Rmult p).
  { intros p. symmetry. apply (same_gen (Eqsth R) (Eq_ext Rplus Rmult Ropp)
      (Rth_ARth (Eqsth R) (Eq_ext Rplus Rmult Ropp) RTheory)). }
  destruct z as [|p|p]; cbn [gen_phiZ]; [reflexivity| |]; rewrite same, step; [reflexivity|].
  now rewrite <- opp_IZR.
Qed.

Lemma positive_reals erf p x : positive (reals erf) p x -> 0 < x.
Proof.
  intros is_positive. induction is_positive as [m e m_pos|x|p q x y _ IHx _ IHy|p q x y _ IHx _ IHy]; cbn in *.
  - apply Rmult_lt_0_compat; [now apply IZR_lt|apply powerRZ_lt; lra].
  - apply exp_pos.
  - lra.
  - now apply Rmult_lt_0_compat.
Qed.

Theorem reals_ring_like erf : ring_like (reals erf).
Proof.
  assert (zero_is : cst (reals erf) zero = 0) by (cbn; lra).
  assert (one_is : cst (reals erf) one = 1) by (cbn; lra).
  constructor; rewrite ?zero_is, ?one_is.
  - constructor; intros; cbn; ring.
  - intros m e e_nonneg. cbn [op1 op2 reals num]. rewrite phi_reals, mult_IZR. cbn [cst reals]. f_equal.
    rewrite <- (Z2Nat.id e) by assumption. rewrite <- pow_powerRZ, <- pow_IZR. reflexivity.
  - intros x y. cbn. unfold Rdiv. ring.
  - intros c. cbn. unfold equal. destruct (Req_EM_T c 0); cbn; [right|left]; reflexivity.
  - intros b x y. destruct b; rewrite ?zero_is, ?one_is; cbn; unfold equal; destruct (Req_EM_T _ _); lra.
  - intros o x y compares. destruct o; try discriminate; cbn; unfold truth, less, equal;
      match goal with |- context [if ?d then true else false] => destruct d end; cbn; auto.
  - intros x y a b. cbn. unfold truth, less, equal.
    destruct (Rlt_dec y x); cbn; destruct (Req_EM_T 0 0), (Req_EM_T 1 0); lra.
  - intros b c. destruct b, c; rewrite ?zero_is, ?one_is; cbn; unfold Rmin; destruct (Rle_dec _ _); lra.
  - intros b c. destruct b, c; rewrite ?zero_is, ?one_is; cbn; unfold Rmax; destruct (Rle_dec _ _); lra.
  - intros s t b. reflexivity.
  - intros x j k differ. cbn. unfold truth, equal. destruct (Req_EM_T x _) as [->|]; [intros _|intros same; lra].
    destruct (Req_EM_T _ _) as [same|]; [|reflexivity]. exfalso. apply differ. cbn in same. rewrite !Rmult_1_r in same.
    now apply eq_IZR, Nat2Z.inj in same.
  - intros x y. apply exp_plus.
  - apply exp_0.
  - intros x x_pos. apply positive_reals in x_pos. cbn. field. lra.
  - intros x y. cbn. unfold Rdiv. rewrite Rinv_mult. ring.
Qed.
