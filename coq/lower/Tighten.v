(** Loops that make no iteration for which a condition inside of them does not hold.

    A sum over positions of which only some count is a loop in which nothing happens unless conditions hold.
    Where such a condition compares the loop variable with terms that the loop does not change, it becomes a bound of the loop,
    and is not asked inside any more.

    [conjuncts]    the conditions that a condition is made of
    [needed]       conditions without any one of which a command does nothing
    [lower_bounds] [upper_bounds]   differences that the loop variable is not below, and that it is below,
                   where a condition holds
    [given]        a command without conditions that are known to hold
    [tightened]    a program, its loops in order with such bounds
    That the meaning stays is in lower/TightenProof.v. *)

From Coq Require Import NArith List Bool Arith.
From Vouch Require Import lib.Size array.Syntax array.IndexCheck imp.Syntax imp.Flat imp.Gather.
Import ListNotations.

(** Numbers are added up. *)
Definition plus (a b : ixe) : ixe :=
  match a, b with
  | XSize (SConst c), XSize (SConst d) => XSize (SConst (c + d))
  | XSize (SConst 0), _ => b
  | _, XSize (SConst 0) => a
  | XAdd x (XSize (SConst c)), XSize (SConst d) => XAdd x (XSize (SConst (c + d)))
  | _, _ => XAdd a b
  end%N.

Definition next (e : ixe) : ixe := plus e (XSize (SConst 1)).

(** The number before, where one is added. *)
Fixpoint previous (e : ixe) : option ixe :=
  match e with
  | XSize (SConst c) => if N.eqb c 0 then None else Some (XSize (SConst (N.pred c)))
  | XAdd a b =>
      match previous b with
      | Some b1 => Some (plus a b1)
      | None => option_map (fun a1 => plus a1 b) (previous a)
      end
  | _ => None
  end.

(** What is added to loop variable i, which occurs once. *)
Fixpoint rest_of (i : nat) (e : ixe) : option ixe :=
  match e with
  | XVar j => if Nat.eqb j i then Some (XSize (SConst 0)) else None
  | XAdd a b =>
      if without i b then option_map (fun a1 => plus a1 b) (rest_of i a)
      else if without i a then option_map (plus a) (rest_of i b) else None
  | _ => None
  end.

(** Defined, whatever its variables are. *)
Fixpoint always_safe (e : ixe) : bool :=
  match e with
  | XVar _ | XSize _ => true
  | XAdd a b | XMul a b => always_safe a && always_safe b
  | XSub _ _ => false
  | XDiv a b | XMod a b =>
      always_safe a && match b with XSize (SConst c) => negb (N.eqb c 0) | _ => false end
  end.

(** Of the loop variable, with what is added to it, and another side. *)
Definition with_rest (i : nat) (e other : ixe) (f : ixe -> ixe * ixe) : list (ixe * ixe) :=
  match rest_of i e with
  | Some r => if without i other then [f r] else []
  | None => []
  end.

(** i + r < b, a <= i + r, a < i + r *)
Definition below (b r : ixe) : ixe * ixe := (b, r).
Definition above (a r : ixe) : ixe * ixe := (a, r).
Definition strictly_above (a r : ixe) : ixe * ixe :=
  match previous r with Some r1 => (a, r1) | None => (next a, r) end.
Definition up_to (b r : ixe) : ixe * ixe :=
  match previous r with Some r1 => (b, r1) | None => (next b, r) end.

Definition lower_bounds (i : nat) (g : guard) : list (ixe * ixe) :=
  match g with
  | GLess a b => with_rest i b a (strictly_above a)
  | GNot (GLess a b) => with_rest i a b (above b)
  | GEqual a b => with_rest i a b (above b) ++ with_rest i b a (above a)
  | _ => []
  end.

Definition upper_bounds (i : nat) (g : guard) : list (ixe * ixe) :=
  match g with
  | GLess a b => with_rest i a b (below b)
  | GNot (GLess a b) => with_rest i b a (up_to a)
  | GEqual a b => with_rest i a b (up_to b) ++ with_rest i b a (up_to a)
  | _ => []
  end.

Definition usable (i : nat) (g : guard) : bool :=
  let pairs := lower_bounds i g ++ upper_bounds i g in
  negb (Nat.eqb (length pairs) 0) && forallb (fun p => always_safe (fst p) && always_safe (snd p)) pairs.

Definition guard_eq_dec (g h : guard) : {g = h} + {g <> h}.
Proof. decide equality; apply ixe_eq_dec. Defined.

Definition among (l : list guard) (g : guard) : bool := if in_dec guard_eq_dec g l then true else false.

Fixpoint conjuncts (g : guard) : list guard :=
  match g with
  | GAnd g1 g2 => conjuncts g1 ++ conjuncts g2
  | _ => [g]
  end.

(** A scalar that is copied, changed, and copied back is changed as the copy is. *)
Fixpoint needed (c : fcomm) : list guard :=
  match c with
  | FSeq c1 c2 => filter (among (needed c2)) (needed c1)
  | FAssign v a (FIf g _ (FRead w b)) => if Nat.eqb w v && same_address b a then conjuncts g else []
  | FNew v None (FSeq (FSeq (FAssign v1 None (FRead w a)) c1) (FAssign w1 b (FRead v2 None))) =>
      if Nat.eqb v1 v && Nat.eqb v2 v && Nat.eqb w1 w && negb (Nat.eqb w v) && same_address b a then needed c1 else []
  | FFor _ i _ c1 | FWithin i _ _ _ c1 => filter (guard_without i) (needed c1)
  | _ => []
  end.

(** What is left of a condition, if anything. *)
Fixpoint unknown (known : list guard) (g : guard) : option guard :=
  match g with
  | GAnd g1 g2 =>
      match unknown known g1, unknown known g2 with
      | Some h1, Some h2 => Some (GAnd h1 h2)
      | Some h, None | None, Some h => Some h
      | None, None => None
      end
  | _ => if among known g then None else Some g
  end.

Definition given_exp (known : list guard) (e : fexp) : fexp :=
  match e with
  | FIf g e1 e2 => match unknown known g with Some h => FIf h e1 e2 | None => e1 end
  | _ => e
  end.

Fixpoint given (known : list guard) (c : fcomm) : fcomm :=
  match c with
  | FSkip => FSkip
  | FSeq c1 c2 => FSeq (given known c1) (given known c2)
  | FAssign v i e => FAssign v i (given_exp known e)
  | FNew v n c1 => FNew v n (given known c1)
  | FFor k i n c1 => FFor k i n (given (filter (guard_without i) known) c1)
  | FWithin i n lo hi c1 => FWithin i n lo hi (given (filter (guard_without i) known) c1)
  end.

Definition tight_loop (i : nat) (n : size) (c : fcomm) : fcomm :=
  match filter (usable i) (needed c) with
  | [] => FFor Seq i n c
  | l => FWithin i n (flat_map (lower_bounds i) l) (flat_map (upper_bounds i) l) (given l c)
  end.

Fixpoint tightened (c : fcomm) : fcomm :=
  match c with
  | FSeq c1 c2 => FSeq (tightened c1) (tightened c2)
  | FNew v n c1 => FNew v n (tightened c1)
  | FFor Seq i n c1 => tight_loop i n (tightened c1)
  | FFor k i n c1 => FFor k i n (tightened c1)
  | FSkip | FAssign _ _ _ | FWithin _ _ _ _ _ => c
  end.
