(** The imperative language: syntax.

    Data variables and loop variables are numbered by nesting depth, one numbering for both,
    so that a name is never bound twice on one path into a program. In index terms, [XVar i]
    is here loop variable i.

    [astep], [acc]   acceptors: places that can be written, a root variable and steps inwards
    [view]           what can be read, without moving data
    [comm]           commands *)

From Coq Require Import List.
From Vouch Require Import lib.Size array.Syntax.

(** One step from a place to a part of it:
<<
    AtStep i     ary n a       -> element i
    FstStep      pair a b      -> its first half
    SndStep      pair a b      -> its second half
    OffStep n    ary (n+m) a   -> the last m elements
    LayStep l    the result of layout l -> its argument, for an invertible l
>> *)
Inductive astep : Type :=
| AtStep (i : ixe)
| FstStep
| SndStep
| OffStep (n : size)
| LayStep (l : lay).

(** [AStep s a]: step s taken inside a; the last step is outermost. *)
Inductive acc : Type :=
| AVar (v : nat)
| AStep (s : astep) (a : acc).

(** Views, as the terms of the array language they come from; [IAcc a] reads through an
    acceptor. *)
Inductive view : Type :=
| IVar (v : nat)
| IAcc (a : acc)
| ICst (c : const)
| IOp (o : sop) (x : view)
| IPair (x y : view)
| ILay (l : lay) (x : view)
| IPad (lo n : size) (c : const) (x : view)
| IIf (g : guard) (x y : view).

(** Commands.
<<
    CSkip             nothing
    CSeq c1 c2        c1, then c2
    CAssign a x       the scalar place a receives the scalar x
    CNew v d c        c with a new variable v of type d, holding anything
    CFor k i n c      c for i = 0 .. n-1, run as k says
>> *)
Inductive comm : Type :=
| CSkip
| CSeq (c1 c2 : comm)
| CAssign (a : acc) (x : view)
| CNew (v : nat) (d : ty) (c : comm)
| CFor (k : kind) (i : nat) (n : size) (c : comm).

Fixpoint root (a : acc) : nat :=
  match a with
  | AVar v => v
  | AStep _ a' => root a'
  end.

Definition view_at (x : view) (i : nat) : view := ILay (LAt (XVar i)) x.
Definition acc_at (a : acc) (i : nat) : acc := AStep (AtStep (XVar i)) a.
