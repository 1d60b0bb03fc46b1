(** The imperative language: meaning.

    The store maps a variable and a path to a scalar. A new variable holds anything ([junk],
    which may depend on the variable and its type) and the old contents return at the end of
    its scope. Loops run in order here; threads come at the flat level.

    [acc_path]   the cell of the root that an acceptor's path leads to
    [read]       what a view holds at a path
    [exec]       commands
    [run_prelude]  temporaries of a lowered term, left in place *)

From Coq Require Import Arith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax.
Import ListNotations.

Definition bind (ie : nat -> nat) (i j : nat) : nat -> nat :=
  fun x => if x =? i then j else ie x.

Section SEMANTICS.
  Context (sg : nat -> nat).

  Definition step_path (ie : nat -> nat) (s : astep) (p : path) : path :=
    match s with
    | AtStep i => Ix (ixe_val sg ie i) :: p
    | FstStep => Lft :: p
    | SndStep => Rgt :: p
    | OffStep n =>
        match p with
        | Ix i :: q => Ix (size_val sg n + i) :: q
        | _ => p
        end
    | LayStep l => lay_inverse sg l p
    end.

  Fixpoint acc_path (ie : nat -> nat) (a : acc) (p : path) : path :=
    match a with
    | AVar _ => p
    | AStep s a' => acc_path ie a' (step_path ie s p)
    end.

  Context (K : scalars).
  Context (junk : nat -> ty -> value K).

  Definition store : Type := nat -> value K.

  Fixpoint read (ie : nat -> nat) (s : store) (x : view) : value K :=
    match x with
    | IVar v => s v
    | IAcc a => fun p => s (root a) (acc_path ie a p)
    | ICst c => const_at K c
    | IOp o x1 => fun _ => apply_op K o (read ie s x1)
    | IPair x1 x2 => fun p =>
        match p with
        | Lft :: q => read ie s x1 q
        | Rgt :: q => read ie s x2 q
        | _ => cst K zero
        end
    | ILay l x1 => fun p => read ie s x1 (lay_path sg ie l p)
    | IPad lo n c x1 => fun p =>
        match p with
        | Ix i :: q =>
            if (size_val sg lo <=? i) && (i <? size_val sg lo + size_val sg n)
            then read ie s x1 (Ix (i - size_val sg lo) :: q)
            else cst K c
        | _ => cst K c
        end
    | IIf g x1 x2 => fun p => if guard_val sg ie g then read ie s x1 p else read ie s x2 p
    end.

  (** One cell changed; a whole variable changed. *)
  Definition write (s : store) (v : nat) (p : path) (x : num K) : store :=
    fun w q => if w =? v then if path_eq_dec q p then x else s w q else s w q.

  Definition set_var (s : store) (v : nat) (m : value K) : store :=
    fun w q => if w =? v then m q else s w q.

  Fixpoint exec (c : comm) (ie : nat -> nat) (s : store) : store :=
    match c with
    | CSkip => s
    | CSeq c1 c2 => exec c2 ie (exec c1 ie s)
    | CAssign a x => write s (root a) (acc_path ie a []) (read ie s x [])
    | CNew v d c1 => set_var (exec c1 ie (set_var s v (junk v d))) v (s v)
    | CFor _ i n c1 => iterate (size_val sg n) (fun j => exec c1 (bind ie i j)) s
    end.

  Fixpoint run_prelude (k : nat) (pre : list (ty * comm)) (ie : nat -> nat) (s : store)
      : store :=
    match pre with
    | [] => s
    | (d, c) :: rest => run_prelude (S k) rest ie (exec c ie (set_var s k (junk k d)))
    end.
End SEMANTICS.
