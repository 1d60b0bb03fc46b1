(** Scalars whose addition has its laws, and finite sums of them.

    [additive K]      addition is associative and commutative, zero is neutral: so it is of real
                      numbers, of any ring, and of integers that wrap around; of floats it is not
    [lsum_reindex]    sums under conditions are equal if their domains are in bijection
    [element_is_sum]  what a statement defines is a sum over the points of its loops *)

From Coq Require Import Arith ZArith List Bool Lia Permutation.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Rings.
Import ListNotations.

Record additive (K : scalars) : Prop := {
  additive_assoc : forall x y z, op2 K Add x (op2 K Add y z) = op2 K Add (op2 K Add x y) z;
  additive_comm : forall x y, op2 K Add x y = op2 K Add y x;
  additive_zero : forall x, op2 K Add (cst K zero) x = x
}.

Lemma rings_are_additive K : ring_like K -> additive K.
Proof.
  intros RING. pose proof (ring_laws K RING) as laws. constructor.
  - intros x y z. apply (Ring_theory.Radd_assoc laws).
  - intros x y. apply (Ring_theory.Radd_comm laws).
  - intros x. apply (Ring_theory.Radd_0_l laws).
Qed.

Section SUMS.
  Context (K : scalars) (ADDS : additive K).

  Notation "0" := (cst K zero).
  Notation "x + y" := (op2 K Add x y).
  Notation lsum := (lsum K).

  Let add_0_r x : x + 0 = x.
  Proof using ADDS. rewrite (additive_comm K ADDS). apply (additive_zero K ADDS). Qed.

  Let add_swap x y z : x + (y + z) = y + (x + z).
  Proof using ADDS.
    rewrite !(additive_assoc K ADDS). now rewrite (additive_comm K ADDS x y).
  Qed.

  Lemma additive_app {A} (l m : list A) f : lsum (l ++ m) f = lsum l f + lsum m f.
  Proof using ADDS.
    induction l as [|a l IHl]; cbn; [now rewrite (additive_zero K ADDS)|].
    now rewrite IHl, (additive_assoc K ADDS).
  Qed.

  Lemma additive_plus {A} (l : list A) f g : lsum l (fun a => f a + g a) = lsum l f + lsum l g.
  Proof using ADDS.
    induction l as [|a l IHl]; cbn; [now rewrite (additive_zero K ADDS)|].
    rewrite IHl, <- !(additive_assoc K ADDS). f_equal. apply add_swap.
  Qed.

  Lemma additive_zeros {A} (l : list A) f : (forall a, In a l -> f a = 0) -> lsum l f = 0.
  Proof using ADDS.
    induction l as [|a l IHl]; intros zeros; cbn; [reflexivity|].
    rewrite zeros by now left. rewrite IHl; [apply (additive_zero K ADDS)|].
    intros b b_in. apply zeros. now right.
  Qed.

  Lemma additive_flat_map {A B} (l : list B) (m : B -> list A) f :
    lsum (flat_map m l) f = lsum l (fun b => lsum (m b) f).
  Proof using ADDS. induction l as [|b l IHl]; cbn; [reflexivity|]. now rewrite additive_app, IHl. Qed.

  Lemma additive_exchange {A B} (l : list A) (m : list B) f :
    lsum l (fun a => lsum m (f a)) = lsum m (fun b => lsum l (fun a => f a b)).
  Proof using ADDS.
    induction l as [|a l IHl]; cbn; [now rewrite additive_zeros|]. now rewrite IHl, additive_plus.
  Qed.

  Lemma additive_permutation {A} (l m : list A) f : Permutation l m -> lsum l f = lsum m f.
  Proof using ADDS. induction 1; cbn; [reflexivity|congruence|apply add_swap|congruence]. Qed.

  Lemma additive_filter {A} (p : A -> bool) (l : list A) f :
    lsum l (fun a => if p a then f a else 0) = lsum (filter p l) f.
  Proof using ADDS.
    induction l as [|a l IHl]; cbn; [reflexivity|].
    destruct (p a); cbn; rewrite IHl; [reflexivity|apply (additive_zero K ADDS)].
  Qed.

  (** A sum in two parts. *)
  Lemma additive_split {A} (c : A -> bool) (l : list A) f :
    lsum l f = lsum l (fun a => if c a then f a else 0) + lsum l (fun a => if c a then 0 else f a).
  Proof using ADDS.
    rewrite <- additive_plus. apply lsum_ext. intros a _.
    destruct (c a); [now rewrite add_0_r|now rewrite (additive_zero K ADDS)].
  Qed.

  Theorem lsum_reindex {A B} (l : list A) (m : list B) (p : A -> bool) (q : B -> bool)
      (f : A -> num K) (g : B -> num K) (phi : A -> B) (psi : B -> A) :
    NoDup l -> NoDup m ->
    (forall a, In a l -> p a = true -> In (phi a) m /\ q (phi a) = true /\ psi (phi a) = a) ->
    (forall b, In b m -> q b = true ->
      In (psi b) l /\ p (psi b) = true /\ phi (psi b) = b /\ f (psi b) = g b) ->
    lsum l (fun a => if p a then f a else 0) = lsum m (fun b => if q b then g b else 0).
  Proof using ADDS.
    intros l_once m_once there back. rewrite !additive_filter. symmetry.
    transitivity (lsum (map psi (filter q m)) f).
    - rewrite lsum_map. apply lsum_ext. intros b b_in. apply filter_In in b_in as [b_in b_ok].
      symmetry. now apply back.
    - apply additive_permutation, NoDup_Permutation.
      + apply NoDup_map_on; [now apply NoDup_filter|].
        intros a b a_in b_in same. apply filter_In in a_in as [a_in a_ok], b_in as [b_in b_ok].
        destruct (back a a_in a_ok) as (_ & _ & <- & _), (back b b_in b_ok) as (_ & _ & <- & _).
        now rewrite same.
      + now apply NoDup_filter.
      + intros a. rewrite in_map_iff, filter_In. split.
        * intros (b & <- & b_in). apply filter_In in b_in as [b_in b_ok].
          now destruct (back b b_in b_ok) as (? & ? & _).
        * intros [a_in a_ok]. destruct (there a a_in a_ok) as (? & ? & same).
          exists (phi a). now rewrite filter_In.
  Qed.

  (** ** What a statement sums *)

  Section STATEMENTS.
    Context (sg : nat -> nat).

    Notation term_of := (sum_at K sg K (fun x => x)).
    Notation loop_values := (loop_values sg).

    Let iterate_sum (f : nat -> num K -> num K) (g : nat -> num K) n a :
      (forall i b, f i b = b + g i) -> iterate n f a = a + lsum (seq 0 n) g.
    Proof using ADDS.
      intros step. induction n as [|n IHn]; [symmetry; apply add_0_r|].
      cbn [iterate]. rewrite step, IHn, seq_S, additive_app. cbn. rewrite add_0_r.
      now rewrite (additive_assoc K ADDS).
    Qed.

    Lemma fold_is_sum ts loops c b : forall iv a,
      fold_val sg K loops c b iv ts a = a +
        lsum (points (map (size_val sg) loops) iv)
          (fun w => if icond_val sg w c then body_val sg K w ts b else 0).
    Proof using ADDS.
      induction loops as [|n loops IHloops]; intros iv a; cbn [fold_val map points].
      - cbn. destruct (icond_val sg iv c); now rewrite !add_0_r.
      - rewrite additive_flat_map. apply iterate_sum. intros i b0. apply IHloops.
    Qed.

    Lemma summand_is_sum iv ts s :
      summand_val sg K iv ts s = lsum (points (loop_values s) iv) (term_of ts s).
    Proof using ADDS.
      unfold summand_val, Rings.loop_values, sum_at. destruct (su_loops s) as [|n loops].
      - cbn. now rewrite add_0_r.
      - now rewrite fold_is_sum, (additive_zero K ADDS).
    Qed.

    Theorem element_is_sum iv ts l :
      element_val sg K iv ts l = lsum l (fun s => lsum (points (loop_values s) iv) (term_of ts s)).
    Proof using ADDS.
      destruct l as [|s l]; cbn [element_val Rings.lsum]; [reflexivity|].
      rewrite <- summand_is_sum. generalize (summand_val sg K iv ts s) as first.
      induction l as [|r l IHl]; intros first; cbn; [now rewrite add_0_r|].
      rewrite IHl, summand_is_sum. now rewrite (additive_assoc K ADDS).
    Qed.
  End STATEMENTS.
End SUMS.
