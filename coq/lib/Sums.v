(** Finite sums over lists, where addition has its laws: of real numbers, of the scalars of a ring, of
    integers that wrap around. The one home of these laws.

    [sums zero add]   addition is associative and commutative, and zero is neutral
    [fsum l f]        the sum of [f a] over the elements [a] of [l]
    [fsum_reindex]    sums under conditions are equal if their domains are in bijection *)

From Coq Require Import List Permutation.
From Vouch Require Import lib.Lists.
Import ListNotations.

Record sums {M : Type} (zero : M) (add : M -> M -> M) : Prop := {
  sums_assoc : forall x y z, add x (add y z) = add (add x y) z;
  sums_comm : forall x y, add x y = add y x;
  sums_zero : forall x, add zero x = x
}.

Fixpoint fsum {M} (zero : M) (add : M -> M -> M) {A} (l : list A) (f : A -> M) : M :=
  match l with
  | [] => zero
  | a :: rest => add (f a) (fsum zero add rest f)
  end.

Section PLAIN.
  Context {M : Type} (zero : M) (add : M -> M -> M).
  Notation fsum := (fsum zero add).

  Lemma fsum_ext {A} (l : list A) f g : (forall a, In a l -> f a = g a) -> fsum l f = fsum l g.
  Proof using Type.
    induction l as [|a l IHl]; intros same; [reflexivity|]; cbn.
    rewrite same by (now left). f_equal. apply IHl. intros b b_in. apply same. now right.
  Qed.

  Lemma fsum_map {A B} (h : B -> A) (l : list B) f : fsum (map h l) f = fsum l (fun b => f (h b)).
  Proof using Type. induction l as [|a l IHl]; cbn; congruence. Qed.

  (** What keeps zero and sums keeps these sums. *)
  Lemma fsum_through {N} (zero' : N) (add' : N -> N -> N) (h : M -> N) {A} (l : list A) f :
    h zero = zero' -> (forall x y, h (add x y) = add' (h x) (h y)) ->
    h (fsum l f) = Sums.fsum zero' add' l (fun a => h (f a)).
  Proof using Type. intros keeps_zero keeps. induction l as [|a l IHl]; cbn; [assumption|]. now rewrite keeps, IHl. Qed.
End PLAIN.

Section LAWS.
  Context {M : Type} (zero : M) (add : M -> M -> M) (LAWS : sums zero add).
  Notation fsum := (fsum zero add).

  Lemma sums_zero_r x : add x zero = x.
  Proof using LAWS. rewrite (sums_comm _ _ LAWS). apply (sums_zero _ _ LAWS). Qed.

  Lemma sums_swap x y z : add x (add y z) = add y (add x z).
  Proof using LAWS. rewrite !(sums_assoc _ _ LAWS). now rewrite (sums_comm _ _ LAWS x y). Qed.

  Lemma fsum_app {A} (l m : list A) f : fsum (l ++ m) f = add (fsum l f) (fsum m f).
  Proof using LAWS.
    induction l as [|a l IHl]; cbn; [now rewrite (sums_zero _ _ LAWS)|]. now rewrite IHl, (sums_assoc _ _ LAWS).
  Qed.

  Lemma fsum_plus {A} (l : list A) f g : fsum l (fun a => add (f a) (g a)) = add (fsum l f) (fsum l g).
  Proof using LAWS.
    induction l as [|a l IHl]; cbn; [now rewrite (sums_zero _ _ LAWS)|].
    rewrite IHl, <- !(sums_assoc _ _ LAWS). f_equal. apply sums_swap.
  Qed.

  Lemma fsum_zero {A} (l : list A) f : (forall a, In a l -> f a = zero) -> fsum l f = zero.
  Proof using LAWS.
    induction l as [|a l IHl]; intros zeros; cbn; [reflexivity|].
    rewrite zeros by (now left). rewrite IHl; [apply (sums_zero _ _ LAWS)|]. intros b b_in. apply zeros. now right.
  Qed.

  Lemma fsum_flat_map {A B} (l : list B) (m : B -> list A) f : fsum (flat_map m l) f = fsum l (fun b => fsum (m b) f).
  Proof using LAWS. induction l as [|b l IHl]; cbn; [reflexivity|]. now rewrite fsum_app, IHl. Qed.

  Lemma fsum_exchange {A B} (l : list A) (m : list B) f :
    fsum l (fun a => fsum m (f a)) = fsum m (fun b => fsum l (fun a => f a b)).
  Proof using LAWS.
    induction l as [|a l IHl]; cbn; [now rewrite fsum_zero|]. now rewrite IHl, fsum_plus.
  Qed.

  Lemma fsum_permutation {A} (l m : list A) f : Permutation l m -> fsum l f = fsum m f.
  Proof using LAWS. induction 1; cbn; [reflexivity|congruence|apply sums_swap|congruence]. Qed.

  Lemma fsum_filter {A} (p : A -> bool) (l : list A) f :
    fsum l (fun a => if p a then f a else zero) = fsum (filter p l) f.
  Proof using LAWS.
    induction l as [|a l IHl]; cbn; [reflexivity|].
    destruct (p a); cbn; rewrite IHl; [reflexivity|apply (sums_zero _ _ LAWS)].
  Qed.

  Theorem fsum_reindex {A B} (l : list A) (m : list B) (p : A -> bool) (q : B -> bool)
      (f : A -> M) (g : B -> M) (phi : A -> B) (psi : B -> A) :
    NoDup l -> NoDup m ->
    (forall a, In a l -> p a = true -> In (phi a) m /\ q (phi a) = true /\ psi (phi a) = a) ->
    (forall b, In b m -> q b = true ->
      In (psi b) l /\ p (psi b) = true /\ phi (psi b) = b /\ f (psi b) = g b) ->
    fsum l (fun a => if p a then f a else zero) = fsum m (fun b => if q b then g b else zero).
  Proof using LAWS.
    intros l_once m_once there back. rewrite !fsum_filter. symmetry.
    transitivity (fsum (map psi (filter q m)) f).
    - rewrite fsum_map. apply fsum_ext. intros b b_in. apply filter_In in b_in as [b_in b_ok].
      symmetry. now apply back.
    - apply fsum_permutation, NoDup_Permutation.
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
End LAWS.
