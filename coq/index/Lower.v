(** From kernels in index notation to the functional array language.

    The functional language has natural numbers for indices: an index term becomes the
    difference of two of them, and where one number is needed, a multiple of the modulus is
    added first. Mirrored by src/certify/index_lower.cpp.

    [upper]        a bound of an index term
    [lower_term]   [lower_cond] [lower_body] [lower_summand] [lower_statement] [lower]
    [reads_ok]     locals are read with their own extents *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics index.Kernel.
Import ListNotations.
Local Open Scope Z_scope.

Definition number (z : Z) : ixe := XSize (SConst (Z.to_N z)).

Definition is_zero (e : ixe) : bool :=
  match e with XSize (SConst 0%N) => true | _ => false end.

Definition xadd (a b : ixe) : ixe :=
  if is_zero a then b else if is_zero b then a else XAdd a b.

Definition xtimes (c : Z) (a : ixe) : ixe :=
  if is_zero a || (c =? 0) then number 0 else if c =? 1 then a else XMul (number c) a.

(** X: the bound of each index variable. Right for terms whose sizes are constants. *)
Fixpoint upper (X : list N) (e : ixe) : Z :=
  match e with
  | XVar i => match nth_error X i with Some n => Z.of_N n - 1 | None => 0 end
  | XSize (SConst n) => Z.of_N n
  | XSize _ => 0
  | XAdd a b => upper X a + upper X b
  | XMul a b => upper X a * upper X b
  | XSub a _ => upper X a
  | XDiv a _ => upper X a
  | XMod _ b => upper X b - 1
  end.

(** p - q + m * turns, and turns. *)
Definition raised (X : list N) (p q : ixe) (m : Z) : ixe * Z :=
  if is_zero q then (p, 0)
  else
    let turns := (upper X q + m - 1) / m in
    (XSub (xadd p (number (m * turns))) q, turns).

Fixpoint lower_term (X : list N) (t : iterm) : ixe * ixe :=
  match t with
  | IVar i => (XVar i, number 0)
  | ICon z => if 0 <=? z then (number z, number 0) else (number 0, number (- z))
  | IAdd a b =>
      let (p1, q1) := lower_term X a in
      let (p2, q2) := lower_term X b in
      (xadd p1 p2, xadd q1 q2)
  | IScale c a =>
      let (p, q) := lower_term X a in
      if 0 <=? c then (xtimes c p, xtimes c q) else (xtimes (- c) q, xtimes (- c) p)
  | IDiv a m =>
      let (p, q) := lower_term X a in
      let (r, turns) := raised X p q (Zpos m) in
      (XDiv r (number (Zpos m)), number turns)
  | IMod a m =>
      let (p, q) := lower_term X a in
      (XMod (fst (raised X p q (Zpos m))) (number (Zpos m)), number 0)
  end.

Definition subscript (X : list N) (t : iterm) (n : positive) : ixe :=
  let (p, q) := lower_term X t in
  if is_zero q && (upper X p <? Zpos n) then p
  else XMod (fst (raised X p q (Zpos n))) (number (Zpos n)).

Fixpoint lower_cond (X : list N) (c : icond) : guard :=
  match c with
  | CTrue => GEqual (number 0) (number 0)
  | CLe a b =>
      let (p1, q1) := lower_term X a in
      let (p2, q2) := lower_term X b in
      GLess (xadd p1 q2) (xadd (xadd p2 q1) (number 1))
  | CEq a b =>
      let (p1, q1) := lower_term X a in
      let (p2, q2) := lower_term X b in
      GEqual (xadd p1 q2) (xadd p2 q1)
  | CAnd d e => GAnd (lower_cond X d) (lower_cond X e)
  | COr d e => GOr (lower_cond X d) (lower_cond X e)
  | CNot d => GNot (lower_cond X d)
  end.

(** Under d data variables beyond the tensors. *)
Fixpoint lower_body (X : list N) (d : nat) (b : ibody) : exp :=
  match b with
  | BCon c => ECst TNum c
  | BRead t s =>
      fold_left (fun e p => ELay (LAt (subscript X (fst p) (snd p))) e) s (EVar (d + t))
  | BOp1 o a => EUn o (lower_body X d a)
  | BOp2 o a c => EBin o (lower_body X d a) (lower_body X d c)
  | BOp3 o a c e => ETer o (lower_body X d a) (lower_body X d c) (lower_body X d e)
  | BIf g a c => EIf (lower_cond X g) (lower_body X d a) (lower_body X d c)
  end.

Definition zeros (n : N) : exp := ECst (TAry (SConst n) TNum) zero.

(** One step of a reduction: its accumulator is data variable 1. *)
Definition lower_step (X : list N) (d : nat) (c : icond) (b : ibody) : exp :=
  let more := EBin Add (EVar 1) (lower_body X d b) in
  match c with CTrue => more | _ => EIf (lower_cond X c) more (EVar 1) end.

Fixpoint lower_fold (X : list N) (d : nat) (loops : list N) (c : icond) (b : ibody)
    (start : exp) : exp :=
  match loops with
  | [] => start
  | n :: inner =>
      let f :=
        match inner with
        | [] => lower_step (n :: X) (d + 2) c b
        | _ => lower_fold (n :: X) (d + 2) inner c b (EVar 1)
        end in
      ERed Fresh (SConst n) TNum TNum f start (zeros n)
  end.

Definition lower_summand (X : list N) (d : nat) (s : summand) : exp :=
  match su_loops s with
  | [] =>
      let body := lower_body X d (su_body s) in
      match su_cond s with CTrue => body | c => EIf (lower_cond X c) body (ECst TNum zero) end
  | loops => lower_fold X d loops (su_cond s) (su_body s) (ECst TNum zero)
  end.

Definition lower_element (X : list N) (d : nat) (l : list summand) : exp :=
  match l with
  | [] => ECst TNum zero
  | s :: more =>
      fold_left (fun e r => EBin Add e (lower_summand X d r)) more (lower_summand X d s)
  end.

Definition array_ty (extents : list N) : ty :=
  fold_right (fun n d => TAry (SConst n) d) TNum extents.

Fixpoint lower_axes (k : kind) (X : list N) (d : nat) (extents : list N)
    (l : list summand) : exp :=
  match extents with
  | [] => lower_element X d l
  | n :: more =>
      EMap k (SConst n) TNum (array_ty more) (lower_axes Seq (n :: X) (S d) more l) (zeros n)
  end.

Definition lower_statement (s : statement) : exp :=
  lower_axes Par [] 0 (st_extents s) (st_summands s).

Fixpoint lower_locals (l : list statement) (last : statement) : exp :=
  match l with
  | [] => lower_statement last
  | s :: more => ELet (EMem (array_ty (st_extents s)) (lower_statement s)) (lower_locals more last)
  end.

Definition lower (k : ikernel) : exp := lower_locals (ik_locals k) (ik_output k).

Definition same_extents (a b : list N) : bool := if list_eq_dec N.eq_dec a b then true else false.

(** Inputs have no entry's extents here: every read of them has a meaning. *)
Fixpoint body_reads_ok (shapes : list (list N)) (b : ibody) : bool :=
  match b with
  | BCon _ => true
  | BRead t s =>
      match nth_error shapes t with
      | Some e => same_extents (map (fun p => Npos (snd p)) s) e
      | None => true
      end
  | BOp1 _ a => body_reads_ok shapes a
  | BOp2 _ a c => body_reads_ok shapes a && body_reads_ok shapes c
  | BOp3 _ a c e => body_reads_ok shapes a && body_reads_ok shapes c && body_reads_ok shapes e
  | BIf _ a c => body_reads_ok shapes a && body_reads_ok shapes c
  end.

Definition statement_reads_ok (shapes : list (list N)) (s : statement) : bool :=
  forallb (fun r => body_reads_ok shapes (su_body r)) (st_summands s).

Fixpoint locals_reads_ok (shapes : list (list N)) (l : list statement) (last : statement)
  : bool :=
  match l with
  | [] => statement_reads_ok shapes last
  | s :: more =>
      statement_reads_ok shapes s && locals_reads_ok (st_extents s :: shapes) more last
  end.

Definition reads_ok (k : ikernel) : bool := locals_reads_ok [] (ik_locals k) (ik_output k).
