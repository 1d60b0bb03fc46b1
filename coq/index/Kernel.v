(** Kernels in index notation: what a tensor kernel means, as its author writes it.

    [iterm] [icond]   integer terms over index variables, and conditions on them
    [ibody]           scalar terms over tensor elements
    [summand]         the sum of a body over loops, from 0 and in order, where a condition holds
    [statement]       defines every element of one tensor: its summands, added from left to right
    [ikernel]         local tensors in order, then the output

    Index variables are numbered from the innermost loop outwards, then the indices of the
    target from the last to the first. Tensors are numbered from the last local before the
    statement down to the first, then the inputs. Extents are sizes: numbers, or terms over size
    variables, of which the kernel's facts are assumed. A read outside of a tensor gives zero, so
    that every kernel has a meaning; the front end refuses kernels that have such reads. *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
Import ListNotations.

(** [IDiv] and [IMod] are floor division and its remainder. *)
Inductive iterm : Type :=
| IVar (i : nat)
| ICon (z : Z)
| ISize (s : size)
| IAdd (a b : iterm)
| IScale (c : Z) (a : iterm)
| IDiv (a : iterm) (m : positive)
| IMod (a : iterm) (m : positive).

Inductive icond : Type :=
| CTrue
| CLe (a b : iterm)
| CEq (a b : iterm)
| CAnd (c d : icond)
| COr (c d : icond)
| CNot (c : icond).

(** [BIndex i]: an index as a value; 0 where it is below 0. [BRead t at]: an element of tensor t;
    each subscript with the extent of its axis. [BGather x n t before after]: an element of tensor t
    whose index is data: between these subscripts, on an axis of extent n, the position that equals x;
    0 where there is none. *)
Inductive ibody : Type :=
| BCon (c : const)
| BIndex (i : iterm)
| BRead (t : nat) (subscripts : list (iterm * size))
| BGather (x : ibody) (n : size) (t : nat) (before after : list (iterm * size))
| BOp1 (o : uop) (a : ibody)
| BOp2 (o : bop) (a b : ibody)
| BOp3 (o : top) (a b c : ibody)
| BIf (g : icond) (a b : ibody).

Record summand : Type := { su_loops : list size; su_cond : icond; su_body : ibody }.
Record statement : Type := { st_extents : list size; st_summands : list summand }.
Record ikernel : Type := {
  ik_facts : list fact;
  ik_inputs : list ty;
  ik_locals : list statement;
  ik_output : statement
}.

Definition inside (z : Z) (n : nat) : bool := ((0 <=? z) && (z <? Z.of_nat n))%Z.

Section INDICES.
  Context (sg : nat -> nat).

  Fixpoint iterm_val (iv : list nat) (t : iterm) : Z :=
    match t with
    | IVar i => Z.of_nat (nth i iv 0)
    | ICon z => z
    | ISize s => Z.of_nat (size_val sg s)
    | IAdd a b => iterm_val iv a + iterm_val iv b
    | IScale c a => c * iterm_val iv a
    | IDiv a m => iterm_val iv a / Zpos m
    | IMod a m => iterm_val iv a mod Zpos m
    end.

  Fixpoint icond_val (iv : list nat) (c : icond) : bool :=
    match c with
    | CTrue => true
    | CLe a b => iterm_val iv a <=? iterm_val iv b
    | CEq a b => iterm_val iv a =? iterm_val iv b
    | CAnd d e => icond_val iv d && icond_val iv e
    | COr d e => icond_val iv d || icond_val iv e
    | CNot d => negb (icond_val iv d)
    end%Z.

  (** Every subscript is inside its axis. *)
  Definition all_inside (iv : list nat) (s : list (iterm * size)) : bool :=
    forallb (fun p => inside (iterm_val iv (fst p)) (size_val sg (snd p))) s.
End INDICES.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).

  Notation iterm_val := (iterm_val sg).
  Notation icond_val := (icond_val sg).

  (** The element at each list of indices. *)
  Definition tensor : Type := list nat -> num K.

  Definition read (ts : list tensor) (t : nat) : tensor := nth t ts (fun _ => cst K zero).

  Definition places (iv : list nat) (s : list (iterm * size)) : list nat :=
    map (fun p => Z.to_nat (iterm_val iv (fst p))) s.

  (** The element of t at position k of the axis. *)
  Definition element_at (iv : list nat) (ts : list tensor) (t : nat) (before after : list (iterm * size))
      (k : nat) : num K :=
    if all_inside sg iv before && all_inside sg iv after
    then read ts t (places iv before ++ k :: places iv after) else cst K zero.

  (** Of n positions, the last that equals x decides. *)
  Definition gathered (n : nat) (x : num K) (element : nat -> num K) : num K :=
    iterate n (fun k a => op3 K Sel (op2 K Equal x (position K k)) (element k) a) (cst K zero).

  Fixpoint body_val (iv : list nat) (ts : list tensor) (b : ibody) : num K :=
    match b with
    | BCon c => cst K c
    | BIndex i => position K (Z.to_nat (iterm_val iv i))
    | BRead t s =>
        if all_inside sg iv s
        then read ts t (map (fun p => Z.to_nat (iterm_val iv (fst p))) s) else cst K zero
    | BGather x n t s r => gathered (size_val sg n) (body_val iv ts x) (element_at iv ts t s r)
    | BOp1 o a => op1 K o (body_val iv ts a)
    | BOp2 o a c => op2 K o (body_val iv ts a) (body_val iv ts c)
    | BOp3 o a c d => op3 K o (body_val iv ts a) (body_val iv ts c) (body_val iv ts d)
    | BIf g a c => if icond_val iv g then body_val iv ts a else body_val iv ts c
    end.

  (** What the loops add to the accumulator a. *)
  Fixpoint fold_val (loops : list size) (c : icond) (b : ibody) (iv : list nat)
      (ts : list tensor) (a : num K) : num K :=
    match loops with
    | [] => if icond_val iv c then op2 K Add a (body_val iv ts b) else a
    | n :: inner => iterate (size_val sg n) (fun i => fold_val inner c b (i :: iv) ts) a
    end.

  Definition summand_val (iv : list nat) (ts : list tensor) (s : summand) : num K :=
    match su_loops s with
    | [] => if icond_val iv (su_cond s) then body_val iv ts (su_body s) else cst K zero
    | loops => fold_val loops (su_cond s) (su_body s) iv ts (cst K zero)
    end.

  Definition element_val (iv : list nat) (ts : list tensor) (l : list summand) : num K :=
    match l with
    | [] => cst K zero
    | s :: more =>
        fold_left (fun a r => op2 K Add a (summand_val iv ts r)) more (summand_val iv ts s)
    end.

  Definition statement_val (ts : list tensor) (s : statement) : tensor :=
    fun indices => element_val (rev indices) ts (st_summands s).

  Fixpoint locals_val (ts : list tensor) (l : list statement) : list tensor :=
    match l with
    | [] => ts
    | s :: more => locals_val (statement_val ts s :: ts) more
    end.

  (** The output of a kernel, from its inputs. *)
  Definition ikernel_val (inputs : list tensor) (k : ikernel) : tensor :=
    statement_val (locals_val inputs (ik_locals k)) (ik_output k).
End VALUES.

Lemma gathered_ext K n x (f g : nat -> num K) :
  (forall k, k < n -> f k = g k) -> gathered K n x f = gathered K n x g.
Proof.
  unfold gathered. induction n as [|n IHn]; intros same; [reflexivity|].
  cbn [iterate]. rewrite same, IHn; auto.
Qed.

(** Elements of tensors that are the same where they are read. *)
Lemma element_at_ext sg K iv ts G t u before after k :
  (forall indices, read K ts t indices = read K G u indices) ->
  element_at sg K iv ts t before after k = element_at sg K iv G u before after k.
Proof. intros same. unfold element_at. rewrite same. reflexivity. Qed.
