(** Sums that read copies, made in the middle of a plan.

    Where a plan has come to, what the terms read of one tensor may be copied first: an array over
    some of the loops and of the axes that are left, so that it lies as it is read, and near. No
    arithmetic is needed to see that this is right: the copy is read at the variables that it is
    over. Mirrored by src/certify/index_tabulate.cpp.

    [read_of]      the first read of a tensor
    [retell]       the body with such reads from the copy
    [tabulated]    the summands with them
    [copied]       an element of the copy
    [tab_ok]       the read has no other variables *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax index.Kernel index.Lower index.Tile.
Import ListNotations.

Definition subscripts : Type := list (iterm * size).

Definition iterm_eq_dec (a b : iterm) : {a = b} + {a <> b}.
Proof.
  decide equality; first [apply Nat.eq_dec | apply Z.eq_dec | apply Pos.eq_dec | apply size_eq_dec].
Defined.

Definition subscripts_eq_dec (a b : subscripts) : {a = b} + {a <> b}.
Proof.
  apply list_eq_dec. decide equality; [apply size_eq_dec | apply iterm_eq_dec].
Defined.

Definition either {A : Type} (a b : option A) : option A :=
  match a with Some _ => a | None => b end.

Fixpoint read_of (t : nat) (b : ibody) : option subscripts :=
  match b with
  | BCon _ | BIndex _ => None
  | BRead u s => if u =? t then Some s else None
  | BGather x _ _ _ _ => read_of t x
  | BOp1 _ a => read_of t a
  | BOp2 _ a c => either (read_of t a) (read_of t c)
  | BOp3 _ a c e => either (read_of t a) (either (read_of t c) (read_of t e))
  | BIf _ a c => either (read_of t a) (read_of t c)
  end.

(** Under a copy and d data variables, which now are tensors too. Reads of t at [s], if there are
    such, are of the copy, at [at_copy]. *)
Fixpoint retell (t : nat) (s : option subscripts) (at_copy : subscripts) (d : nat) (b : ibody) : ibody :=
  match b with
  | BCon c => BCon c
  | BIndex i => BIndex i
  | BRead u r =>
      let other := BRead (S (d + u)) r in
      match s with
      | Some s => if (u =? t) && (if subscripts_eq_dec r s then true else false) then BRead 0 at_copy else other
      | None => other
      end
  | BGather x n u r q => BGather (retell t s at_copy d x) n (S (d + u)) r q
  | BOp1 o a => BOp1 o (retell t s at_copy d a)
  | BOp2 o a c => BOp2 o (retell t s at_copy d a) (retell t s at_copy d c)
  | BOp3 o a c e => BOp3 o (retell t s at_copy d a) (retell t s at_copy d c) (retell t s at_copy d e)
  | BIf g a c => BIf g (retell t s at_copy d a) (retell t s at_copy d c)
  end.

(** The first summand that reads t: its loops, and where. *)
Fixpoint source_of (t : nat) (l : list summand) : option (list size * subscripts) :=
  match l with
  | [] => None
  | r :: more =>
      match read_of t (su_body r) with
      | Some s => Some (su_loops r, s)
      | None => source_of t more
      end
  end.

(** The variables of a body, number 0 first, have these bounds; then come those outside. *)
Definition bounds (loops axes : list size) : list size := rev loops ++ rev axes.

Definition bound (loops axes : list size) (v : nat) : size := nth v (bounds loops axes) (SConst 0).

(** Where the copy is read, that is over those variables. *)
Definition at_variables (loops axes : list size) (over : list nat) : subscripts :=
  map (fun v => (IVar v, bound loops axes v)) over.

Definition retold (t : nat) (loops axes : list size) (s : subscripts) (over : list nat) (d : nat)
    (r : summand) : summand :=
  {| su_loops := su_loops r; su_cond := su_cond r;
     su_body := retell t (if same_extents (su_loops r) loops then Some s else None)
                  (at_variables loops axes over) d (su_body r) |}.

(** Its place in the list; the list's length, if it is not in it. *)
Fixpoint place_of (v : nat) (over : list nat) : nat :=
  match over with
  | [] => 0
  | w :: more => if v =? w then 0 else S (place_of v more)
  end.

Definition listed (v : nat) (over : list nat) : bool := place_of v over <? length over.

(** What stands for the variables of the body, under the positions of the copy. *)
Definition positions_of (over : list nat) (inner outer : nat) : list iterm :=
  map (fun v => if listed v over then IVar (length over - S (place_of v over)) else ICon 0) (seq 0 inner) ++
  map IVar (seq (length over) outer).

Definition copied (t : nat) (loops axes : list size) (s : subscripts) (over : list nat) (outer : nat) : ibody :=
  ibody_at (positions_of over (length (bounds loops axes)) outer) (BRead t s).

Fixpoint mentions (v : nat) (t : iterm) : bool :=
  match t with
  | IVar i => i =? v
  | ICon _ | ISize _ => false
  | IAdd a b => mentions v a || mentions v b
  | IScale _ a | IDiv a _ | IMod a _ => mentions v a
  end.

Definition tab_ok (loops axes : list size) (s : subscripts) (over : list nat) : bool :=
  let inner := length (bounds loops axes) in
  forallb (fun v => v <? inner) over &&
  forallb (fun v => listed v over || negb (existsb (fun p => mentions v (fst p)) s)) (seq 0 inner).
