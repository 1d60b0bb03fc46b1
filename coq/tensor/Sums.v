(** Finite sums of real numbers: over lists, and over the integers below a bound.

    [lsum l f]   the sum of [f a] over the elements [a] of [l]; its laws are those of lib/Sums.v
    [range n]    0, 1, … n-1 (nothing if [n <= 0])
    [sum n f]    the sum of [f k] for [0 <= k < n]; written [∑ k < n, e]
    [lsum_reindex]   sums under guards are equal if their domains are in bijection *)

From Coq Require Import Reals ZArith List Lia Lra Bool Permutation FinFun.
From Vouch Require Export lib.Sums.
Import ListNotations.
Local Open Scope R_scope.

Notation lsum := (fsum 0 Rplus).

Lemma real_sums : sums 0 Rplus.
Proof. constructor; intros; lra. Qed.

Section LSUM.
  Context {A : Type}.
  Implicit Types (l : list A) (f g : A -> R).

  Lemma lsum_ext l f g : (forall a, In a l -> f a = g a) -> lsum l f = lsum l g.
  Proof. apply fsum_ext. Qed.

  Lemma lsum_plus l f g : lsum l (fun a => f a + g a) = lsum l f + lsum l g.
  Proof. apply fsum_plus, real_sums. Qed.

  Lemma lsum_scale l c f : lsum l (fun a => c * f a) = c * lsum l f.
  Proof. symmetry. apply fsum_through; intros; lra. Qed.

  Lemma lsum_scale_r l c f : lsum l (fun a => f a * c) = lsum l f * c.
  Proof. symmetry. apply (fsum_through _ _ _ _ (fun x => x * c)); intros; lra. Qed.

  Lemma lsum_zero l f : (forall a, In a l -> f a = 0) -> lsum l f = 0.
  Proof. apply fsum_zero, real_sums. Qed.

  Lemma lsum_app l m f : lsum (l ++ m) f = lsum l f + lsum m f.
  Proof. apply fsum_app, real_sums. Qed.

  Lemma lsum_map {B} (h : B -> A) (l : list B) f : lsum (map h l) f = lsum l (fun a => f (h a)).
  Proof. apply fsum_map. Qed.

  Lemma lsum_flat_map {B} (l : list B) (m : B -> list A) f :
    lsum (flat_map m l) f = lsum l (fun b => lsum (m b) f).
  Proof. apply fsum_flat_map, real_sums. Qed.
End LSUM.

Theorem lsum_reindex {A B} (l : list A) (m : list B) (p : A -> bool) (q : B -> bool)
    (f : A -> R) (g : B -> R) (phi : A -> B) (psi : B -> A) :
  NoDup l -> NoDup m ->
  (forall a, In a l -> p a = true ->
    In (phi a) m /\ q (phi a) = true /\ psi (phi a) = a /\ f a = g (phi a)) ->
  (forall b, In b m -> q b = true -> In (psi b) l /\ p (psi b) = true /\ phi (psi b) = b) ->
  lsum l (fun a => if p a then f a else 0) = lsum m (fun b => if q b then g b else 0).
Proof.
  intros l_once m_once there back. symmetry.
  apply (fsum_reindex _ _ real_sums m l q p g f psi phi); try assumption.
  intros a a_in a_ok. destruct (there a a_in a_ok) as (? & ? & ? & ?). auto.
Qed.

Definition range (n : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat n)).

Lemma in_range n k : In k (range n) <-> (0 <= k < n)%Z.
Proof.
  unfold range. rewrite in_map_iff. split.
  - intros (x & <- & x_in). apply in_seq in x_in. lia.
  - intros bounds. exists (Z.to_nat k). rewrite in_seq. lia.
Qed.

Lemma range_once n : NoDup (range n).
Proof. apply Injective_map_NoDup; [intros a b; lia|apply seq_NoDup]. Qed.

Definition sum (n : Z) (f : Z -> R) : R := lsum (range n) f.

Notation "'∑' k < n , e" := (sum n%Z (fun k => e))
  (at level 60, k name, n at level 59, e at level 60) : R_scope.

Lemma sum_ext n m f g : n = m -> (forall k, (0 <= k < m)%Z -> f k = g k) -> sum n f = sum m g.
Proof. intros -> same. apply lsum_ext. intros k k_in. now apply same, in_range. Qed.

Lemma sum_zero n f : (forall k, (0 <= k < n)%Z -> f k = 0) -> sum n f = 0.
Proof. intros zero. apply lsum_zero. intros k k_in. now apply zero, in_range. Qed.

Lemma sum_positive n f : (0 < n)%Z -> (forall k, (0 <= k < n)%Z -> 0 < f k) -> 0 < sum n f.
Proof.
  intros n_pos positive. unfold sum, range.
  assert (all : forall l, (forall k, In k l -> 0 < f k) -> 0 <= lsum l f).
  { induction l as [|k l IHl]; intros each; cbn; [lra|].
    pose proof (each k (or_introl eq_refl)). enough (0 <= lsum l f) by lra.
    apply IHl. intros j j_in. apply each. now right. }
  destruct (Z.to_nat n) as [|count] eqn:is_count; [lia|]. cbn.
  pose proof (positive 0%Z ltac:(lia)). apply Rplus_lt_le_0_compat; [assumption|].
  apply all. intros k k_in. apply positive. apply in_map_iff in k_in as (j & <- & j_in).
  apply in_seq in j_in. lia.
Qed.

Lemma sum_const n c : (0 <= n)%Z -> sum n (fun _ => c) = IZR n * c.
Proof.
  intros n_pos. unfold sum, range. rewrite lsum_map.
  rewrite <- (Z2Nat.id n) at 2 by assumption. generalize (Z.to_nat n) as count. intros count.
  assert (all : forall first, lsum (seq first count) (fun _ => c) = IZR (Z.of_nat count) * c).
  { induction count as [|count IHcount]; intros first; [cbn; lra|].
    rewrite Nat2Z.inj_succ, succ_IZR. cbn. rewrite IHcount. lra. }
  apply all.
Qed.

(** What is added to all exponents shows in no quotient of exponentials by their sum: a softmax. *)
Lemma exponentials_shifted a b n m f g :
  n = m -> (forall k, (0 <= k < m)%Z -> f k = g k + (a - b)) ->
  exp a / sum n (fun k => exp (f k)) = exp b / sum m (fun k => exp (g k)).
Proof.
  intros -> shifted.
  assert (all : sum m (fun k => exp (f k)) = exp (a - b) * sum m (fun k => exp (g k))).
  { unfold sum. rewrite <- lsum_scale. apply lsum_ext. intros k k_in. apply in_range in k_in.
    rewrite (shifted k k_in), exp_plus. ring. }
  rewrite all. unfold Rdiv. rewrite Rinv_mult.
  replace (exp a) with (exp b * exp (a - b)) by (rewrite <- exp_plus; f_equal; ring).
  rewrite Rmult_assoc, <- (Rmult_assoc (exp (a - b))), Rinv_r, Rmult_1_l; [reflexivity |].
  apply Rgt_not_eq, exp_pos.
Qed.
