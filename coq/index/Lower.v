(** From kernels in index notation to the functional array language.

    The functional language has natural numbers for indices: an index term becomes the
    difference of two of them, and where one number is needed, something that is large enough is
    added first: a multiple of the divisor, or, for a subscript that may leave its axis, as many
    zeros as are then put in front of the axis. Mirrored by src/certify/index_lower.cpp.

    [upper]        a size that an index term does not exceed
    [quotient] [remainder]   by a number; of a sum of blocks of that length they can be seen
    [read_at]      one axis of a read
    [lower_term]   [lower_cond] [lower_body] [lower_summand] [lower_statement] [lower]
    [reads_ok]     locals are read with their own extents *)

From Coq Require Import Arith ZArith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Check index.Kernel.
Import ListNotations.
Local Open Scope Z_scope.

Definition number (z : Z) : ixe := XSize (SConst (Z.to_N z)).

Definition is_zero (e : ixe) : bool :=
  match e with XSize (SConst 0%N) => true | _ => false end.

Definition xadd (a b : ixe) : ixe :=
  if is_zero a then b else if is_zero b then a else XAdd a b.

Definition xtimes (c : Z) (a : ixe) : ixe :=
  if is_zero a || (c =? 0) then number 0 else if c =? 1 then a else XMul a (number c).

Definition plus_size (a b : size) : size :=
  match a, b with
  | SConst c, SConst d => SConst (c + d)
  | SConst 0, _ => b
  | _, SConst 0 => a
  | _, _ => SAdd a b
  end%N.

Definition times_size (a b : size) : size :=
  match a, b with
  | SConst c, SConst d => SConst (c * d)
  | _, _ => SMul a b
  end%N.

(** Parts that are below a number are at most a number. *)
Definition most (n : size) : size :=
  match n with
  | SPart (Rem d) _ | SPart (Digit _ d) _ => SConst (N.pred (Npos d))
  | SPart (Started _) _ => SConst 1
  | _ => n
  end.

(** The last position of an axis, or, where that is no number, its extent. *)
Definition last (n : size) : size :=
  match most n with SConst c => SConst (N.pred c) | _ => n end.

(** X: the bound of each index variable. *)
Fixpoint upper (X : list size) (e : ixe) : size :=
  match e with
  | XVar i => last (nth i X (SConst 0))
  | XSize s => most s
  | XAdd a b => plus_size (upper X a) (upper X b)
  | XMul a b => times_size (upper X a) (upper X b)
  | XSub a _ | XDiv a _ => upper X a
  | XMod _ b => last (upper X b)
  end.

(** p - q + m * turns, and turns. *)
Definition raised (X : list size) (p q : ixe) (m : positive) : ixe * size :=
  if is_zero q then (p, SConst 0)
  else
    let turns :=
      match upper X q with
      | SConst u => SConst ((u + Npos m - 1) / Npos m)
      | u => u
      end in
    (XSub (xadd p (XSize (times_size (SConst (Npos m)) turns))) q, turns).

(** Surely below m. *)
Definition small (X : list size) (x : ixe) (m : positive) : bool :=
  match upper X x with SConst u => N.ltb u (Npos m) | _ => false end.

(** x as a * m + b with b below m, where its summands are seen to be of that form. *)
Fixpoint blocks_of (X : list size) (x : ixe) (m : positive) : option (ixe * ixe) :=
  if small X x m then Some (number 0, x) else
  match x with
  | XSize (SConst c) => Some (number (Z.of_N (c / Npos m)), number (Z.of_N (c mod Npos m)))
  | XMul a (XSize (SConst c)) =>
      if N.eqb (c mod Npos m) 0 then Some (xtimes (Z.of_N (c / Npos m)) a, number 0) else None
  | XAdd p q =>
      match blocks_of X p m, blocks_of X q m with
      | Some (a1, b1), Some (a2, b2) =>
          if small X (xadd b1 b2) m then Some (xadd a1 a2, xadd b1 b2) else None
      | _, _ => None
      end
  | _ => None
  end.

Definition quotient (X : list size) (x : ixe) (m : positive) : ixe :=
  match blocks_of X x m with Some (a, _) => a | None => XDiv x (number (Zpos m)) end.

Definition remainder (X : list size) (x : ixe) (m : positive) : ixe :=
  match blocks_of X x m with Some (_, b) => b | None => XMod x (number (Zpos m)) end.

Fixpoint lower_term (X : list size) (t : iterm) : ixe * ixe :=
  match t with
  | IVar i => (XVar i, number 0)
  | ICon z => if 0 <=? z then (number z, number 0) else (number 0, number (- z))
  | ISize s => (XSize s, number 0)
  | IAdd a b =>
      let (p1, q1) := lower_term X a in
      let (p2, q2) := lower_term X b in
      (xadd p1 p2, xadd q1 q2)
  | IScale c a =>
      let (p, q) := lower_term X a in
      if 0 <=? c then (xtimes c p, xtimes c q) else (xtimes (- c) q, xtimes (- c) p)
  | IDiv a m =>
      let (p, q) := lower_term X a in
      let (r, turns) := raised X p q m in
      (quotient X r m, XSize turns)
  | IMod a m =>
      let (p, q) := lower_term X a in
      (remainder X (fst (raised X p q m)) m, number 0)
  end.

(** Element t of the first axis of e, of extent n; zero outside. *)
Definition read_at (facts : list fact) (X : list size) (t : iterm) (n : size) (e : exp) : exp :=
  let (p, q) := lower_term X t in
  let plain := if is_zero q then p else XSub p q in
  if ixe_lt facts X plain n then ELay (LAt plain) e
  else
    let lo := if is_zero q then SConst 0 else upper X q in
    let at_padded := if is_zero q then p else XSub (xadd p (XSize lo)) q in
    ELay (LAt at_padded) (EPad lo n (plus_size (upper X p) (SConst 1)) zero e).

Fixpoint lower_cond (X : list size) (c : icond) : guard :=
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

Definition zeros (n : size) : exp := ECst (TAry n TNum) zero.

Definition array_ty (extents : list size) : ty :=
  fold_right (fun n d => TAry n d) TNum extents.

(** Under one more index variable, number c. *)
Fixpoint iterm_lift (c : nat) (t : iterm) : iterm :=
  match t with
  | IVar i => IVar (if (i <? c)%nat then i else S i)
  | ICon z => ICon z
  | ISize s => ISize s
  | IAdd a b => IAdd (iterm_lift c a) (iterm_lift c b)
  | IScale z a => IScale z (iterm_lift c a)
  | IDiv a m => IDiv (iterm_lift c a) m
  | IMod a m => IMod (iterm_lift c a) m
  end.

Definition lifted (s : list (iterm * size)) : list (iterm * size) :=
  map (fun p => (iterm_lift 0 (fst p), snd p)) s.

Section FACTS.
  (** What is assumed of the sizes. *)
  Context (facts : list fact).

  (** Under d data variables beyond the tensors. *)
  Fixpoint lower_body (X : list size) (d : nat) (b : ibody) : exp :=
    match b with
    | BCon c => ECst TNum c
    | BIndex i =>
        let n := plus_size (upper X (fst (lower_term X i))) (SConst 1) in
        read_at facts X i n (ECst (TAry n TNum) Ordinal)
    | BRead t s =>
        fold_left (fun e p => read_at facts X (fst p) (snd p) e) s (EVar (d + t))
    | BGather x n t s r =>
        (* data variables: the position in the axis, the element so far, x *)
        ELet (lower_body X d x)
          (ERed Fresh n TNum TNum
            (ETer Sel (EBin Equal (EVar 2) (ELay (LAt (XVar 0)) (ECst (TAry n TNum) Ordinal)))
              (fold_left (fun e p => read_at facts (n :: X) (fst p) (snd p) e)
                 (lifted s ++ (IVar 0, n) :: lifted r) (EVar (d + 3 + t)))
              (EVar 1))
            (ECst TNum zero) (zeros n))
    | BOp1 o a => EUn o (lower_body X d a)
    | BOp2 o a c => EBin o (lower_body X d a) (lower_body X d c)
    | BOp3 o a c e => ETer o (lower_body X d a) (lower_body X d c) (lower_body X d e)
    | BIf g a c => EIf (lower_cond X g) (lower_body X d a) (lower_body X d c)
    end.

  (** One step of a reduction: its accumulator is data variable 1. *)
  Definition lower_step (X : list size) (d : nat) (c : icond) (b : ibody) : exp :=
    let more := EBin Add (EVar 1) (lower_body X d b) in
    match c with CTrue => more | _ => EIf (lower_cond X c) more (EVar 1) end.

  Fixpoint lower_fold (X : list size) (d : nat) (loops : list size) (c : icond) (b : ibody)
      (start : exp) : exp :=
    match loops with
    | [] => start
    | n :: inner =>
        let f :=
          match inner with
          | [] => lower_step (n :: X) (d + 2) c b
          | _ => lower_fold (n :: X) (d + 2) inner c b (EVar 1)
          end in
        ERed Fresh n TNum TNum f start (zeros n)
    end.

  Definition lower_summand (X : list size) (d : nat) (s : summand) : exp :=
    match su_loops s with
    | [] =>
        let body := lower_body X d (su_body s) in
        match su_cond s with CTrue => body | c => EIf (lower_cond X c) body (ECst TNum zero) end
    | loops => lower_fold X d loops (su_cond s) (su_body s) (ECst TNum zero)
    end.

  Definition lower_element (X : list size) (d : nat) (l : list summand) : exp :=
    match l with
    | [] => ECst TNum zero
    | s :: more =>
        fold_left (fun e r => EBin Add e (lower_summand X d r)) more (lower_summand X d s)
    end.

  Definition is_one (n : size) : bool := match n with SConst c => N.eqb c 1 | _ => false end.

  (** Threads share the first axis that has not one position only. *)
  Fixpoint lower_axes (k : kind) (X : list size) (d : nat) (extents : list size)
      (l : list summand) : exp :=
    match extents with
    | [] => lower_element X d l
    | n :: more =>
        let one := is_one n in
        EMap (if one then Seq else k) n TNum (array_ty more)
          (lower_axes (if one then k else Seq) (n :: X) (S d) more l) (zeros n)
    end.

  Definition lower_statement (s : statement) : exp :=
    lower_axes Par [] 0 (st_extents s) (st_summands s).

  Fixpoint lower_locals (l : list statement) (last : statement) : exp :=
    match l with
    | [] => lower_statement last
    | s :: more => ELet (EMem (array_ty (st_extents s)) (lower_statement s)) (lower_locals more last)
    end.
End FACTS.

Definition lower (k : ikernel) : exp := lower_locals (ik_facts k) (ik_locals k) (ik_output k).

Definition same_extents (a b : list size) : bool := if list_eq_dec size_eq_dec a b then true else false.

(** Inputs have no entry's extents here: every read of them has a meaning. *)
Fixpoint body_reads_ok (shapes : list (list size)) (b : ibody) : bool :=
  match b with
  | BCon _ | BIndex _ => true
  | BRead t s =>
      match nth_error shapes t with
      | Some e => same_extents (map snd s) e
      | None => true
      end
  | BGather x n t s r =>
      body_reads_ok shapes x &&
      match nth_error shapes t with
      | Some e => same_extents (map snd s ++ n :: map snd r) e
      | None => true
      end
  | BOp1 _ a => body_reads_ok shapes a
  | BOp2 _ a c => body_reads_ok shapes a && body_reads_ok shapes c
  | BOp3 _ a c e => body_reads_ok shapes a && body_reads_ok shapes c && body_reads_ok shapes e
  | BIf _ a c => body_reads_ok shapes a && body_reads_ok shapes c
  end.

Definition statement_reads_ok (shapes : list (list size)) (s : statement) : bool :=
  forallb (fun r => body_reads_ok shapes (su_body r)) (st_summands s).

Fixpoint locals_reads_ok (shapes : list (list size)) (l : list statement) (last : statement)
  : bool :=
  match l with
  | [] => statement_reads_ok shapes last
  | s :: more =>
      statement_reads_ok shapes s && locals_reads_ok (st_extents s :: shapes) more last
  end.

Definition reads_ok (k : ikernel) : bool := locals_reads_ok [] (ik_locals k) (ik_output k).
