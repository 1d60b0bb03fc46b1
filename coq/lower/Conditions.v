(** Conditions that the bounds of loops, and conditions around them, decide.

    Differences of index terms are bounded by polynomials, whose variables are sizes (even numbers)
    and loop variables (odd ones). A difference is not negative if no coefficient is after loop
    variables with a negative one took their greatest value; or that of what is left of it, when one
    thing that is known was taken away.

    [range]     bounds of an index term
    [lowered]   a polynomial that is at most as large, and in which fewer loop variables stand
    [sure] [follows]   not negative: by itself, by one of what is known
    [less] [equal]     a comparison that is decided, or none
    [learn]     differences that are not negative, where a condition holds or does not
    [shorten]   a condition without what is decided; of two the second, where the first holds
    That the meaning stays is in lower/ConditionsProof.v. *)

From Coq Require Import ZArith NArith List Bool.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax lower.Simple.
Import ListNotations.
Local Open Scope Z_scope.

Definition variable (x : nat) : poly := poly_atom (AVar x).
Definition of_size (v : nat) : nat := (2 * v)%nat.
Definition of_loop (i : nat) : nat := S (2 * i).

Fixpoint size_poly (s : size) : poly :=
  match s with
  | SVar v => variable (of_size v)
  | SConst c => poly_const (Z.of_N c)
  | SAdd a b => poly_add (size_poly a) (size_poly b)
  | SMul a b => poly_mul (size_poly a) (size_poly b)
  | SPart p v => part_poly p (of_size v)
  end.

Definition before (p : poly) : poly := poly_sub p (poly_const 1).

Inductive outcome : Type :=
| Always
| Never
| Where (g : guard).

Section BOUNDS.
  Context (bd : bounds).

  Definition greatest (a : atom) : poly :=
    match a with
    | AVar x =>
        if Nat.odd x then
          match bd (Nat.div2 x) with Some n => before (size_poly n) | None => variable x end
        else variable x
    | _ => poly_atom a
    end.

  Definition product_greatest (m : mono) : poly :=
    fold_right (fun x r => poly_mul (greatest x) r) (poly_const 1) m.

  Definition lowered (p : poly) : poly :=
    fold_right
      (fun t r =>
        if snd t <? 0 then poly_add (term_mul [] (snd t) (product_greatest (fst t))) r
        else add_term (fst t) (snd t) r) [] p.

  Definition sure (p : poly) : bool := coeffs_nonneg (lowered p).

  (** Of a quotient or remainder. *)
  Definition part_range (e : ixe) (upper : poly) : poly * poly :=
    ([], match top bd e with Some n => before (size_poly n) | None => upper end).

  Fixpoint range (e : ixe) : poly * poly :=
    match e with
    | XVar i => (variable (of_loop i), variable (of_loop i))
    | XSize s => (size_poly s, size_poly s)
    | XAdd a b =>
        let (la, ua) := range a in
        let (lb, ub) := range b in (poly_add la lb, poly_add ua ub)
    | XSub a b =>
        let (la, ua) := range a in
        let (lb, ub) := range b in
        let low := poly_sub la ub in (low, if sure low then poly_sub ua lb else ua)
    | XMul a b =>
        let (la, ua) := range a in
        let (lb, ub) := range b in
        (if coeffs_nonneg la && coeffs_nonneg lb then poly_mul la lb else [], poly_mul ua ub)
    | XDiv a _ | XMod a _ => part_range e (snd (range a))
    end.

  (** How far a term reaches below another, at the least: from a to b, and one less. *)
  Definition gap (a b : ixe) : poly := poly_sub (fst (range b)) (snd (range a)).

  Definition loop_fact (i : nat) : poly :=
    match bd i with
    | Some n => poly_sub (before (size_poly n)) (variable (of_loop i))
    | None => []
    end.

  (** What is not negative, where the condition is [yes]. *)
  Fixpoint learn (yes : bool) (g : guard) : list poly :=
    match g with
    | GLess a b =>
        if yes then [before (poly_sub (snd (range b)) (fst (range a)))]
        else [poly_sub (snd (range a)) (fst (range b))]
    | GEqual a b =>
        if yes then [poly_sub (snd (range a)) (fst (range b)); poly_sub (snd (range b)) (fst (range a))]
        else []
    | GAnd g1 g2 => if yes then learn true g1 ++ learn true g2 else []
    | GOr g1 g2 => if yes then [] else learn false g1 ++ learn false g2
    | GNot g1 => learn (negb yes) g1
    end.

  Context (around : list nat).

  Definition follows (told : list poly) (p : poly) : bool :=
    sure p || existsb (fun fact => sure (poly_sub p fact)) told ||
    existsb (fun i => sure (poly_sub p (loop_fact i))) around.

  Definition less (told : list poly) (a b : ixe) : option bool :=
    if match b with XSize n => below bd a n | _ => false end || follows told (before (gap a b))
    then Some true else if follows told (gap b a) then Some false else None.

  Definition equal (told : list poly) (a b : ixe) : option bool :=
    if follows told (before (gap a b)) || follows told (before (gap b a)) then Some false
    else if follows told (gap a b) && follows told (gap b a) then Some true else None.

  Definition decided (answer : option bool) (g : guard) : outcome :=
    match answer with Some true => Always | Some false => Never | None => Where g end.

  Fixpoint shorten (told : list poly) (g : guard) : outcome :=
    match g with
    | GLess a b =>
        let a := simple bd a in let b := simple bd b in decided (less told a b) (GLess a b)
    | GEqual a b =>
        let a := simple bd a in let b := simple bd b in decided (equal told a b) (GEqual a b)
    | GAnd g1 g2 =>
        match shorten told g1 with
        | Always => shorten told g2
        | Never => Never
        | Where h1 =>
            match shorten (learn true h1 ++ told) g2 with
            | Always => Where h1
            | Never => Never
            | Where h2 => Where (GAnd h1 h2)
            end
        end
    | GOr g1 g2 =>
        match shorten told g1 with
        | Always => Always
        | Never => shorten told g2
        | Where h1 =>
            match shorten (learn false h1 ++ told) g2 with
            | Always => Always
            | Never => Where h1
            | Where h2 => Where (GOr h1 h2)
            end
        end
    | GNot g1 =>
        match shorten told g1 with
        | Always => Never
        | Never => Always
        | Where h => Where (GNot h)
        end
    end.
End BOUNDS.
