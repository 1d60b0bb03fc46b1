(** Scalars whose addition has its laws, and finite sums of them, by the laws of lib/Sums.v.

    [additive K]      addition is associative and commutative, zero is neutral: so it is of real
                      numbers, of any ring, and of integers that wrap around; of floats it is not
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

  Lemma additive_sums : sums 0 (op2 K Add).
  Proof using ADDS. destruct ADDS. now constructor. Qed.

  Let add_0_r x : x + 0 = x.
  Proof using ADDS. apply sums_zero_r, additive_sums. Qed.

  Lemma additive_app {A} (l m : list A) f : lsum (l ++ m) f = lsum l f + lsum m f.
  Proof using ADDS. apply fsum_app, additive_sums. Qed.

  Lemma additive_plus {A} (l : list A) f g : lsum l (fun a => f a + g a) = lsum l f + lsum l g.
  Proof using ADDS. apply fsum_plus, additive_sums. Qed.

  Lemma additive_zeros {A} (l : list A) f : (forall a, In a l -> f a = 0) -> lsum l f = 0.
  Proof using ADDS. apply fsum_zero, additive_sums. Qed.

  Lemma additive_flat_map {A B} (l : list B) (m : B -> list A) f :
    lsum (flat_map m l) f = lsum l (fun b => lsum (m b) f).
  Proof using ADDS. apply fsum_flat_map, additive_sums. Qed.

  Lemma additive_exchange {A B} (l : list A) (m : list B) f :
    lsum l (fun a => lsum m (f a)) = lsum m (fun b => lsum l (fun a => f a b)).
  Proof using ADDS. apply fsum_exchange, additive_sums. Qed.

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
  Proof using ADDS. apply fsum_reindex, additive_sums. Qed.

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
      destruct l as [|s l]; cbn [element_val fsum]; [reflexivity|].
      rewrite <- summand_is_sum. generalize (summand_val sg K iv ts s) as first.
      induction l as [|r l IHl]; intros first; cbn; [now rewrite add_0_r|].
      rewrite IHl, summand_is_sum. now rewrite (additive_assoc K ADDS).
    Qed.
  End STATEMENTS.
End SUMS.
