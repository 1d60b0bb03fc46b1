(** The functional array language: syntax.

    A program is a term of [exp], first order, with de Bruijn variables in two separate
    name spaces:
    - data variables, [EVar x]: inputs of the kernel and what maps, reductions and lets bind;
    - index variables, [XVar i]: positions, bound by [EMap] and [ERed], each with the bound
      of its loop. They are the paper's type [idx n].

    [element types]      [element]
    [scalar constants]   [const]
    [scalar operations]  [uop] one argument, [bop] two, [top] three; [sop] any of them
    [types]              [ty]
    [index terms]        [ixe]; [guard] is a condition on index terms
    [layouts]            [lay], array shapes seen differently; no data moves
    [strategies]         [kind] of a loop, [place] of an accumulator
    [terms]              [exp] *)

From Coq Require Import ZArith NArith List.
From Vouch Require Import lib.Size.
Import ListNotations.

(** What arrays hold: IEEE binary32 and binary64, integers of 32 and 64 bits that wrap around,
    truth values; binary16, bfloat16 and integers of 8 and 16 bits, signed or not, and of 32 bits
    without sign, in which nothing is computed; integers of 64 bits without sign. *)
Inductive element : Type := F32 | F64 | I32 | I64 | B8 | F16 | I8 | U8 | BF16 | I16 | U16 | U32 | U64.

(** [Dyadic m e] is m * 2^e, printed exactly. [Ordinal] in an array is, at each position, the number
    of that position: an index as a value. *)
Inductive const : Type :=
| Dyadic (mantissa exponent : Z)
| Infinity (negative : bool)
| Ordinal.

(** Operations are uninterpreted: no law of arithmetic is ever used. Comparisons give one or
    zero; [Sel c x y] is x where c is not zero and y elsewhere; [Fma x y z] is x*y + z rounded
    once; [Round] takes ties to the even number; [ExpLanes], [TanhLanes] and [ErfLanes] are fixed approximations of
    the functions of these names (array/Binary32.v); [Cast s t] takes what is held as s to what holds it as t. *)
Inductive uop : Type :=
| Neg | Abs | Sqrt | Exp | Log | Tanh | Erf | Sin | Cos | Floor | Ceil | Round
| Tan | Asin | Acos | Atan | Sinh | Cosh | Asinh | Acosh | Atanh
| ExpLanes | TanhLanes | ErfLanes
| Cast (s t : element).
Inductive bop : Type := Add | Sub | Mul | Div | Max | Min | Pow | Less | LessEq | Equal.
Inductive top : Type := Fma | Sel.
Inductive sop : Type := Op1 (o : uop) | Op2 (o : bop) | Op3 (o : top).

Inductive ty : Type :=
| TNum
| TAry (n : size) (d : ty)
| TPair (d1 d2 : ty).

(** Index terms denote natural numbers. Where one is evaluated, typing proves that [XSub] does
    not go below zero and that [XDiv] and [XMod] do not divide by zero. *)
Inductive ixe : Type :=
| XVar (i : nat)
| XSize (s : size)
| XAdd (a b : ixe)
| XSub (a b : ixe)
| XMul (a b : ixe)
| XDiv (a b : ixe)
| XMod (a b : ixe).

(** A part of a size, computed. *)
Definition part_index (p : part) (v : nat) : ixe :=
  let all := XSize (SVar v) in
  let by_number d := XSize (SConst (Npos d)) in
  match p with
  | Quot d => XDiv all (by_number d)
  | Rem d => XMod all (by_number d)
  | Digit d c => XMod (XDiv all (by_number d)) (by_number c)
  | Started d => XDiv (XAdd (XMod all (by_number d)) (XSize (SConst (N.pred (Npos d))))) (by_number d)
  end.

Inductive guard : Type :=
| GLess (a b : ixe)
| GEqual (a b : ixe)
| GAnd (g h : guard)
| GOr (g h : guard)
| GNot (g : guard).

(** Layouts; the type of the argument, then that of the result:
<<
    LFst            pair a b                 -> a
    LSnd            pair a b                 -> b
    LAt i           ary n a                  -> a                      element i, proven < n
    LZip            pair (ary n a) (ary n b) -> ary n (pair a b)       invertible
    LUnzip          ary n (pair a b)         -> pair (ary n a) (ary n b)   invertible
    LSplit n m      ary (n*m) a              -> ary m (ary n a)        invertible
    LJoin n m       ary m (ary n a)          -> ary (n*m) a            invertible
    LTrans          ary m (ary n a)          -> ary n (ary m a)        invertible
    LRev n          ary n a                  -> ary n a                invertible
    LSlide w k s d  ary n a                  -> ary w (ary k a)        element (i, j) is i*s + j*d
    LSlice o n      ary m a                  -> ary n a                from offset o, o + n <= m
    LRepeat n       a                        -> ary n a                n times the same
    LMap l          ary n a                  -> ary n b                where l : a -> b
>>
    An invertible layout also serves in front of an acceptor; in front of the others the
    result is copied. *)
Inductive lay : Type :=
| LFst
| LSnd
| LAt (i : ixe)
| LZip
| LUnzip
| LSplit (n m : size)
| LJoin (n m : size)
| LTrans
| LRev (n : size)
| LSlide (windows width stride dilation : size)
| LSlice (offset n : size)
| LRepeat (n : size)
| LMap (l : lay).

(** How a loop runs: in order, on several threads, in vector lanes, or unrolled. *)
Inductive kind : Type := Seq | Par | Vec | Unr.

(** Where a reduction accumulates: in a fresh temporary, or straight in its destination; its loop runs
    in order, and may be unrolled. *)
Inductive place : Type := Fresh | Into | Unrolled (w : place).

Fixpoint is_into (w : place) : bool :=
  match w with Fresh => false | Into => true | Unrolled u => is_into u end.

Definition loop_of (w : place) : kind := match w with Unrolled _ => Unr | _ => Seq end.

(** Terms. [a ; i] under "binds" names data variables, then index variables; the first named
    is number 0.
<<
    EVar x                  data variable x
    ECst d c                a value of type d with c in every cell; see [Ordinal]
    EOp o e                 scalar operation; e is its argument, for two arguments a pair
                            (x, y), for three (x, (y, z))
    EPair e1 e2             pair
    ELay l e                e seen through layout l
    EPad lo n hi c e        ary n a -> ary (lo+n+hi) a; cells c before and after
    EIf g e1 e2             e1 where g holds of the indices, e2 elsewhere; both are views
    EMap k n d1 d2 f e      ary n d1 -> ary n d2; f binds (element ; position)
    ERed w n d1 d2 f i e    ary n d1 -> d2, folds from the left starting with i;
                            f binds (element, accumulator ; position)
    ELet e1 e2              e2 binds (value of e1 ;); e1 is a view if it can be one
    EMem d e                e of type d, computed here into memory (toMem)
    ECat n m d e1 e2        ary n d, ary m d -> ary (n+m) d
>> *)
Inductive exp : Type :=
| EVar (x : nat)
| ECst (d : ty) (c : const)
| EOp (o : sop) (e : exp)
| EPair (e1 e2 : exp)
| ELay (l : lay) (e : exp)
| EPad (lo n hi : size) (c : const) (e : exp)
| EIf (g : guard) (e1 e2 : exp)
| EMap (k : kind) (n : size) (d1 d2 : ty) (f e : exp)
| ERed (w : place) (n : size) (d1 d2 : ty) (f i e : exp)
| ELet (e1 e2 : exp)
| EMem (d : ty) (e : exp)
| ECat (n m : size) (d : ty) (e1 e2 : exp).

(** Derived forms. *)
Definition zero : const := Dyadic 0 0.
Definition one : const := Dyadic 1 0.
Definition EUn (o : uop) (e : exp) : exp := EOp (Op1 o) e.
Definition EBin (o : bop) (e1 e2 : exp) : exp := EOp (Op2 o) (EPair e1 e2).
Definition ETer (o : top) (e1 e2 e3 : exp) : exp := EOp (Op3 o) (EPair e1 (EPair e2 e3)).
Definition EFst (e : exp) : exp := ELay LFst e.
Definition ESnd (e : exp) : exp := ELay LSnd e.
Definition EAt (e : exp) (i : ixe) : exp := ELay (LAt i) e.
Definition EZip (e1 e2 : exp) : exp := ELay LZip (EPair e1 e2).
Definition ECopy (d : ty) (e : exp) : exp := EMem d e.

(** [generate n (i => f)]: a map that looks at positions only. *)
Definition EGen (k : kind) (n : size) (d : ty) (f : exp) : exp :=
  EMap k n TNum d f (ECst (TAry n TNum) zero).

(** A reduction over positions only; f binds (unused, accumulator ; position). *)
Definition EFold (w : place) (n : size) (d : ty) (f i : exp) : exp :=
  ERed w n TNum d f i (ECst (TAry n TNum) zero).

(** The layouts that can be run backwards. *)
Fixpoint invertible (l : lay) : bool :=
  match l with
  | LZip | LUnzip | LSplit _ _ | LJoin _ _ | LTrans | LRev _ => true
  | LMap l' => invertible l'
  | LFst | LSnd | LAt _ | LSlide _ _ _ _ | LSlice _ _ | LRepeat _ => false
  end.

(** The type an invertible layout takes, from the type it gives. *)
Fixpoint lay_source (l : lay) (d : ty) : ty :=
  match l, d with
  | LZip, TAry n (TPair a b) => TPair (TAry n a) (TAry n b)
  | LUnzip, TPair (TAry n a) (TAry _ b) => TAry n (TPair a b)
  | LSplit n m, TAry _ (TAry _ a) => TAry (SMul n m) a
  | LJoin n m, TAry _ a => TAry m (TAry n a)
  | LTrans, TAry n (TAry m a) => TAry m (TAry n a)
  | LMap l', TAry n a => TAry n (lay_source l' a)
  | _, _ => d
  end.
