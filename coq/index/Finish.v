(** What is done to an element when its sum is complete.

    A kernel whose output reads its last local at the output's own indices only, as
    [y[i,j] = max(s[i,j] + b[j], 0)], needs no memory for that local: in each tile of sums, every
    element is finished before it is stored. Mirrored by src/certify/index_finish.cpp.

    [itself]       nothing is done
    [ending]       what a statement does to its tensor 0, as one body in which that is a number:
                   tensor 0, without axes
    [ending_ok]    it reads tensor 0 at its own indices only
    [past]         the same, under data variables that now are tensors too
    [lane_ends]    for every element of a tile
    [finished]     a tile of sums, finished *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax index.Kernel index.Lower index.Tile index.Tabulate.
Import ListNotations.

Definition itself : ibody := BRead 0 [].

Definition is_itself (e : ibody) : bool :=
  match e with BRead 0 [] => true | _ => false end.

(** Of a summand without loops. *)
Definition end_term (s : summand) : ibody :=
  match su_cond s with CTrue => su_body s | c => BIf c (su_body s) (BCon zero) end.

Definition end_terms (l : list summand) : ibody :=
  match l with
  | [] => BCon zero
  | s :: more => fold_left (fun a r => BOp2 Add a (end_term r)) more (end_term s)
  end.

Fixpoint at_number (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BIndex i => BIndex i
  | BRead t s => match t with 0 => itself | _ => BRead t s end
  | BGather x n t s r => BGather (at_number x) n t s r
  | BOp1 o a => BOp1 o (at_number a)
  | BOp2 o a c => BOp2 o (at_number a) (at_number c)
  | BOp3 o a c e => BOp3 o (at_number a) (at_number c) (at_number e)
  | BIf g a c => BIf g (at_number a) (at_number c)
  end.

Definition ending (s : statement) : ibody := at_number (end_terms (st_summands s)).

(** The target's indices. *)
Fixpoint own (extents : list size) : subscripts :=
  match extents with
  | [] => []
  | e :: more => (IVar (length more), e) :: own more
  end.

Fixpoint reads_own (s : subscripts) (b : ibody) : bool :=
  match b with
  | BCon _ | BIndex _ => true
  | BRead t r => match t with 0 => if subscripts_eq_dec r s then true else false | _ => true end
  | BGather x _ t _ _ => negb (t =? 0) && reads_own s x
  | BOp1 _ a => reads_own s a
  | BOp2 _ a c | BIf _ a c => reads_own s a && reads_own s c
  | BOp3 _ a c e => reads_own s a && reads_own s c && reads_own s e
  end.

Definition ending_ok (s : statement) : bool :=
  forallb (fun r => length (su_loops r) =? 0) (st_summands s) &&
  reads_own (own (st_extents s)) (end_terms (st_summands s)).

(** Tensor 0 stays what it is; after it come m others. *)
Definition behind (m t : nat) : nat := match t with 0 => 0 | S u => S (m + u) end.

Fixpoint past (m : nat) (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BIndex i => BIndex i
  | BRead t s => BRead (behind m t) s
  | BGather x n t s r => BGather (past m x) n (behind m t) s r
  | BOp1 o a => BOp1 o (past m a)
  | BOp2 o a c => BOp2 o (past m a) (past m c)
  | BOp3 o a c e => BOp3 o (past m a) (past m c) (past m e)
  | BIf g a c => BIf g (past m a) (past m c)
  end.

Section FACTS.
  Context (facts : list fact).

  (** Data variable 0 is a tile, or a part of it; under d others. [lanes]: from the outermost on. *)
  Fixpoint lane_ends (X lanes : list size) (d : nat) (e : ibody) : exp :=
    match lanes with
    | [] => lower_body facts X 0 (past d e)
    | n :: more =>
        EMap (match more with [] => Vec | _ => Unr end) n (array_ty more) (array_ty more)
          (lane_ends (n :: X) more (S d) e) (EVar 0)
    end.

  Definition finished (X lanes : list size) (d : nat) (e : ibody) (sums : exp) : exp :=
    if is_itself e then sums else ELet sums (lane_ends X (rev lanes) d e).
End FACTS.
