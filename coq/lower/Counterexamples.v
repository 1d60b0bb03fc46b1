(** Why some of the paper's rules are corrected.

    [in_place_reversal]   a.9, c.7: accumulating an array in place is wrong in general
    [reversal_refused]    such a step is not accepted in place, whereas
    [pointwise_accepted]  an element-wise one is
    [split_acceptor_escapes]   cga.4: dividing by the outer length leaves the array
    [join_acceptor_escapes]    cga.5: multiplying by it too
    [zip_not_stripped]    cge.5, cge.6: they leave a zip with a path that no rule takes
    [index_sum_escapes]   the sum of two indices below n need not be below n *)

From Coq Require Import Arith NArith Lia List.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Flat lower.Align lower.Flatten.
Import ListNotations.

(** Natural numbers as scalars; only copying matters here. *)
Definition counting : scalars := {|
  num := nat;
  cst := fun _ => 0;
  op1 := fun _ x => x;
  op2 := fun _ x y => x + y;
  op3 := fun _ x y z => x * y + z |}.

Definition no_sizes (_ : nat) : nat := 0.
Definition no_loops (_ : nat) : nat := 0.

(** acc := reverse acc, element by element, in the accumulator itself. *)
Definition reverse_in_place : comm :=
  CFor Seq 1 (SConst 3)
    (CAssign (acc_at (AVar 0) 1) (view_at (ILay (LRev (SConst 3)) (IVar 0)) 1)).

Definition one_two_three : store counting :=
  fun _ p => match p with [Ix i] => i + 1 | _ => 0 end.

Lemma in_place_reversal :
  let after := exec no_sizes counting (fun _ _ _ => 0) reverse_in_place no_loops one_two_three in
  let wanted := eval no_sizes counting [] [one_two_three 0] (ELay (LRev (SConst 3)) (EVar 0)) in
  map (fun i => after 0 [Ix i]) [0; 1; 2] = [3; 2; 3] /\
  map (fun i => wanted [Ix i]) [0; 1; 2] = [3; 2; 1].
Proof. split; reflexivity. Qed.

Lemma reversal_refused n : in_place (ELay (LRev n) (EVar 1)) = false.
Proof. reflexivity. Qed.

Lemma pointwise_accepted k n :
  in_place (EMap k n (TPair TNum TNum) TNum (EBin Add (EFst (EVar 0)) (ESnd (EVar 0)))
              (EZip (EVar 1) (EVar 0))) = true.
Proof. reflexivity. Qed.

(** split n m turns n*m elements into m rows of n. With n = 2 and m = 3, position 2 of the
    whole is row 1, element 0; dividing by m it would be row 0, element 2, which is not. *)
Lemma split_acceptor_escapes :
  let n := 2 in let m := 3 in
  exists i, i < n * m /\ ~ i mod m < n /\ i / n < m /\ i mod n < n.
Proof. exists 2. simpl. lia. Qed.

Lemma join_acceptor_escapes :
  let n := 2 in let m := 3 in
  exists i j, i < m /\ j < n /\ ~ i * m + j < n * m /\ i * n + j < n * m.
Proof. exists 2, 1. simpl. lia. Qed.

(** The paper keeps the zip and drops the half; what remains has no value. *)
Lemma zip_not_stripped K g ie (m : mem K) x y i :
  feval no_sizes K ie m (flat_view g (ILay LZip (IPair x y)) [XIx i]) = cst K zero.
Proof. reflexivity. Qed.

Lemma index_sum_escapes n : 2 <= n -> exists i j, i < n /\ j < n /\ ~ i + j < n.
Proof. intros n_ge. exists (n - 1), (n - 1). lia. Qed.
