(** The type checker of the functional array language.

    Everything is decided for all sizes at once: equations and inequations between sizes by
    polynomial normal form, index terms by polynomial bounds. Sizes may be assumed to satisfy
    inequations, the [facts]; inside a loop of n iterations, 1 <= n is a fact too.

    [ixe_lower] [ixe_upper]   bounds of an index term
    [ixe_ok] [ixe_lt]         an index term is safe to evaluate; and below a size
    [ty_eqb]                  types of equal sizes
    [lay_result]              the type a layout gives
    [infer]                   the type of a term; [CheckProof.infer_sound] *)

From Coq Require Import ZArith List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax.
Import ListNotations.

Section BOUNDS.
  (** Assumed facts; the bound of each index variable. *)
  Context (facts : list fact) (X : list size).

  Definition all_facts : list fact := map (fun n => (SConst 1, n)) X ++ facts.

  Definition nonneg (p : poly) : bool := poly_nonneg all_facts p.

  Fixpoint ixe_bounds (e : ixe) : poly * poly :=
    match e with
    | XVar i => ([], poly_sub (norm (nth i X (SConst 0))) (poly_const 1))
    | XSize s => (norm s, norm s)
    | XAdd a b =>
        let (la, ua) := ixe_bounds a in
        let (lb, ub) := ixe_bounds b in
        (poly_add la lb, poly_add ua ub)
    | XSub a b =>
        let (la, ua) := ixe_bounds a in
        let (lb, ub) := ixe_bounds b in
        (poly_sub la ub, poly_sub ua lb)
    | XMul a b =>
        let (la, ua) := ixe_bounds a in
        let (lb, ub) := ixe_bounds b in
        (if coeffs_nonneg la && coeffs_nonneg lb then poly_mul la lb else [], poly_mul ua ub)
    | XDiv a _ => ([], snd (ixe_bounds a))
    | XMod a b => ([], poly_sub (snd (ixe_bounds b)) (poly_const 1))
    end.

  Definition ixe_lower (e : ixe) : poly := fst (ixe_bounds e).
  Definition ixe_upper (e : ixe) : poly := snd (ixe_bounds e).

  Fixpoint ixe_ok (e : ixe) : bool :=
    match e with
    | XVar i => Nat.ltb i (length X)
    | XSize _ => true
    | XAdd a b | XMul a b => ixe_ok a && ixe_ok b
    | XSub a b => ixe_ok a && ixe_ok b && nonneg (poly_sub (ixe_lower a) (ixe_upper b))
    | XDiv a b | XMod a b =>
        ixe_ok a && ixe_ok b && nonneg (poly_sub (ixe_lower b) (poly_const 1))
    end.

  Definition ixe_lt (e : ixe) (n : size) : bool :=
    ixe_ok e && nonneg (poly_sub (poly_sub (norm n) (poly_const 1)) (ixe_upper e)).

  Fixpoint guard_ok (g : guard) : bool :=
    match g with
    | GLess a b | GEqual a b => ixe_ok a && ixe_ok b
    | GAnd g1 g2 | GOr g1 g2 => guard_ok g1 && guard_ok g2
    | GNot g1 => guard_ok g1
    end.
End BOUNDS.

Fixpoint ty_eqb (d e : ty) : bool :=
  match d, e with
  | TNum, TNum => true
  | TAry n d1, TAry m e1 => size_eqb n m && ty_eqb d1 e1
  | TPair d1 d2, TPair e1 e2 => ty_eqb d1 e1 && ty_eqb d2 e2
  | _, _ => false
  end.

Definition when {A : Type} (b : bool) (x : A) : option A := if b then Some x else None.

(** Position (i, j) of a sliding window. *)
Definition slide_index (stride dilation : size) : ixe :=
  XAdd (XMul (XVar 0) (XSize stride)) (XMul (XVar 1) (XSize dilation)).

Section LAYOUTS.
  Context (facts : list fact) (X : list size).

  Fixpoint lay_result (l : lay) (S : ty) : option ty :=
    match l, S with
    | LFst, TPair a _ => Some a
    | LSnd, TPair _ b => Some b
    | LAt i, TAry n a => when (ixe_lt facts X i n) a
    | LZip, TPair (TAry n a) (TAry m b) => when (size_eqb n m) (TAry n (TPair a b))
    | LUnzip, TAry n (TPair a b) => Some (TPair (TAry n a) (TAry n b))
    | LSplit n m, TAry k a => when (size_eqb k (SMul n m)) (TAry m (TAry n a))
    | LJoin n m, TAry m1 (TAry n1 a) =>
        when (size_eqb m1 m && size_eqb n1 n) (TAry (SMul n m) a)
    | LTrans, TAry m (TAry n a) => Some (TAry n (TAry m a))
    | LRev n, TAry n1 a => when (size_eqb n1 n) (TAry n a)
    | LSlide w k s d, TAry n a =>
        when (ixe_lt facts [w; k] (slide_index s d) n) (TAry w (TAry k a))
    | LSlice o n, TAry m a => when (size_leb facts (SAdd o n) m) (TAry n a)
    | LRepeat n, a => Some (TAry n a)
    | LMap l1, TAry n a => option_map (TAry n) (lay_result l1 a)
    | _, _ => None
    end.
End LAYOUTS.

Definition has (o : option ty) (d : ty) : bool :=
  match o with Some e => ty_eqb e d | None => false end.

Definition op_ty (o : sop) : ty :=
  match o with
  | Op1 _ => TNum
  | Op2 _ => TPair TNum TNum
  | Op3 _ => TPair TNum (TPair TNum TNum)
  end.

Fixpoint infer (facts : list fact) (X : list size) (G : list ty) (e : exp) : option ty :=
  match e with
  | EVar x => nth_error G x
  | ECst d _ => Some d
  | EOp o e1 => when (has (infer facts X G e1) (op_ty o)) TNum
  | EPair e1 e2 =>
      match infer facts X G e1, infer facts X G e2 with
      | Some d1, Some d2 => Some (TPair d1 d2)
      | _, _ => None
      end
  | ELay l e1 =>
      match infer facts X G e1 with
      | Some d => lay_result facts X l d
      | None => None
      end
  | EPad lo n hi _ e1 =>
      match infer facts X G e1 with
      | Some (TAry n1 a) => when (size_eqb n1 n) (TAry (SAdd (SAdd lo n) hi) a)
      | _ => None
      end
  | EIf g e1 e2 =>
      match infer facts X G e1 with
      | Some d => when (guard_ok facts X g && has (infer facts X G e2) d) d
      | None => None
      end
  | EMap _ n d1 d2 f e1 =>
      when (has (infer facts X G e1) (TAry n d1) && has (infer facts (n :: X) (d1 :: G) f) d2)
           (TAry n d2)
  | ERed _ n d1 d2 f i e1 =>
      when (has (infer facts X G e1) (TAry n d1) && has (infer facts X G i) d2 &&
            has (infer facts (n :: X) (d1 :: d2 :: G) f) d2) d2
  | ELet e1 e2 =>
      match infer facts X G e1 with
      | Some d1 => infer facts X (d1 :: G) e2
      | None => None
      end
  | EMem d e1 => when (has (infer facts X G e1) d) d
  | ECat n m d e1 e2 =>
      when (has (infer facts X G e1) (TAry n d) && has (infer facts X G e2) (TAry m d))
           (TAry (SAdd n m) d)
  end.
