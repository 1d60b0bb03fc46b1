(** From certificates to statements a person can read.

    [iterate_scalar]   a reduction whose accumulator is a scalar is a fold of scalars
    [place_vector] [place_matrix]   addresses of the usual shapes
    [vector] [matrix]  types of the usual shapes *)

From Coq Require Import Arith Lia List.
From Vouch Require Import lib.Size array.Syntax array.Semantics lower.OffsetProof.
Import ListNotations.

Definition vector (n : size) : ty := TAry n TNum.
Definition matrix (m n : size) : ty := TAry m (TAry n TNum).

Lemma iterate_scalar K n (F : nat -> value K -> value K) (f : nat -> num K -> num K) v x p :
  (forall j w, F j w p = f j (w p)) -> v p = x -> iterate n F v p = iterate n f x.
Proof.
  intros step start. induction n as [|n IHn]; simpl; [exact start|].
  rewrite step, IHn. reflexivity.
Qed.

Lemma place_vector n i : place_of (SAry n SNum) [Ix i] = i.
Proof. simpl. lia. Qed.

Lemma place_matrix m n i j : place_of (SAry m (SAry n SNum)) [Ix i; Ix j] = i * n + j.
Proof. simpl. lia. Qed.
