(** Simpler index terms, where the bounds of loop variables allow it.

    [fold_size]  sizes with what is computed from constants alone as a constant
    [top]        a size that an index term is below
    [split_at]   an index term as q * n + r with r < n
    [rejoin]     x / n * (n * t) + x mod n * t as x * t
    [minus]      x + c - d and x - c - d with one constant, x + y - y as x
    [simple]     index terms: quotients and remainders that can be seen, constants, what is neutral
    That the meaning stays is in lower/SimpleProof.v. *)

From Coq Require Import NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.IndexCheck lower.Flatten.
Import ListNotations.

(** Constants are computed here, not by C in a type of its choice. *)
Fixpoint fold_size (s : size) : size :=
  match s with
  | SVar _ | SConst _ | SPart _ _ => s
  | SAdd a b =>
      match fold_size a, fold_size b with
      | SConst c, SConst d => SConst (c + d)
      | x, y => SAdd x y
      end
  | SMul a b =>
      match fold_size a, fold_size b with
      | SConst c, SConst d => SConst (c * d)
      | x, y => SMul x y
      end
  end.

(** The number of iterations of the loop over each variable. *)
Definition bounds : Type := nat -> option size.

Definition no_bounds : bounds := fun _ => None.

Definition set_bounds (bd : bounds) (i : nat) (n : size) : bounds :=
  fun j => if Nat.eqb j i then Some n else bd j.

Definition same_size (a b : size) : bool := if size_eq_dec a b then true else false.
Definition same_index (a b : ixe) : bool := if ixe_eq_dec a b then true else false.

(** Of the sum of two terms that are below s and t. *)
Definition top_sum (s t : option size) : option size :=
  match s, t with
  | Some (SConst c), Some (SConst d) => Some (SConst (c + d - 1))
  | _, _ => None
  end.

Definition top_times (s : option size) (k : N) : option size :=
  match s with
  | Some (SConst c) => Some (SConst ((c - 1) * k + 1))
  | _ => None
  end.

Definition top_quotient (s : option size) (n : size) : option size :=
  match s, n with
  | Some (SConst c), SConst d => Some (SConst ((c - 1) / d + 1))
  | Some (SMul a b), _ => if same_size b n then Some a else if same_size a n then Some b else None
  | _, _ => None
  end.

Definition top_remainder (s : option size) (n : size) : option size :=
  match s, n with
  | Some (SConst c), SConst d => if N.eqb d 0 then s else Some (SConst (N.min c d))
  | _, SConst d => if N.eqb d 0 then s else Some n
  | Some (SMul a b), _ => if same_size b n || same_size a n then Some n else s
  | _, _ => s
  end.

Section BOUNDS.
  Context (bd : bounds).

  Fixpoint top (e : ixe) : option size :=
    match e with
    | XVar i => bd i
    | XSize (SConst c) => Some (SConst (c + 1))
    | XSize _ => None
    | XAdd a b =>
        match top_sum (top a) (top b) with
        | Some s => Some s
        | None =>
            match a, top b with
            | XMul x (XSize n), Some s =>
                if same_size s n then option_map (fun m => size_mul m n) (top x) else None
            | _, _ => None
            end
        end
    | XSub a _ => top a
    | XMul a (XSize (SConst k)) => top_times (top a) k
    | XMul _ _ => None
    | XDiv a (XSize n) => top_quotient (top a) n
    | XDiv a _ => top a
    | XMod a (XSize n) => top_remainder (top a) n
    | XMod a _ => top a
    end.

  Definition below (e : ixe) (n : size) : bool :=
    match top e, n with
    | Some (SConst c), SConst d => N.leb c d
    | Some s, _ => same_size s n
    | None, _ => false
    end.

  (** k with s = k * n *)
  Definition multiple (s n : size) : option size :=
    if same_size s n then Some (SConst 1) else
    match s, n with
    | SMul a b, _ => if same_size b n then Some a else if same_size a n then Some b else None
    | SConst c, SConst d =>
        if N.eqb d 0 then None else if N.eqb (c mod d) 0 then Some (SConst (c / d)) else None
    | _, _ => None
    end.

  Fixpoint split_at (n : size) (e : ixe) : option (ixe * ixe) :=
    if below e n then Some (XSize (SConst 0), e) else
    match e with
    | XAdd (XMul a (XSize s)) b =>
        match multiple s n, split_at n b with
        | Some k, Some (q, r) => Some (xadd (xmul a (XSize k)) q, r)
        | _, _ => None
        end
    | XMul a (XSize s) =>
        match multiple s n, n with
        | Some k, SConst d =>
            if N.eqb d 0 then None else Some (xmul a (XSize k), XSize (SConst 0))
        | _, _ => None
        end
    | _ => None
    end.

  Definition quotient (a b : ixe) : ixe :=
    match b with
    | XSize n => match split_at n a with Some (q, _) => q | None => xdiv a b end
    | _ => XDiv a b
    end.

  Definition remainder (a b : ixe) : ixe :=
    match b with
    | XSize n => match split_at n a with Some (_, r) => r | None => XMod a b end
    | _ => XMod a b
    end.
End BOUNDS.

Definition scaled (e : ixe) : ixe * size :=
  match e with XMul a (XSize s) => (a, s) | _ => (e, SConst 1) end.

Definition rejoin (a b : ixe) : option ixe :=
  match scaled a, scaled b with
  | (XDiv x (XSize n), s), (XMod y (XSize m), t) =>
      if same_index x y && same_size n m && same_size s (size_mul n t)
      then Some (xmul x (XSize t)) else None
  | _, _ => None
  end.

Fixpoint plus (a b : ixe) : ixe :=
  match rejoin a b with
  | Some e => e
  | None =>
      match b with
      | XAdd c d => match rejoin a c with Some e => plus e d | None => xadd a b end
      | _ => xadd a b
      end
  end.

Definition minus (a b : ixe) : ixe :=
  match a, b with
  | XAdd x (XSize (SConst c)), XSize (SConst d) =>
      if N.leb d c then xadd x (XSize (SConst (c - d))) else xsub x (XSize (SConst (d - c)))
  | XSub x (XSize (SConst c)), XSize (SConst d) => xsub x (XSize (SConst (c + d)))
  | XAdd x y, _ => if same_index y b then x else if same_index x b then y else xsub a b
  | _, _ => xsub a b
  end.

(** The number, if both are; otherwise e. *)
Definition number_or (f : N -> N -> N) (a b e : ixe) : ixe :=
  match a, b with
  | XSize (SConst c), XSize (SConst d) => XSize (SConst (f c d))
  | _, _ => e
  end.

Section SIMPLE.
  Context (bd : bounds).

  Fixpoint simple (e : ixe) : ixe :=
    match e with
    | XVar _ => e
    | XSize s => XSize (fold_size s)
    | XAdd a b => let a := simple a in let b := simple b in number_or N.add a b (plus a b)
    | XSub a b => let a := simple a in let b := simple b in number_or N.sub a b (minus a b)
    | XMul a b => let a := simple a in let b := simple b in number_or N.mul a b (xmul a b)
    | XDiv a b => let a := simple a in let b := simple b in number_or N.div a b (quotient bd a b)
    | XMod a b =>
        let a := simple a in let b := simple b in number_or N.modulo a b (remainder bd a b)
    end.
End SIMPLE.
