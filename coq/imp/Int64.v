(** Index arithmetic in 64 bits.

    [ctype]            the type of a subterm: literals below 2^31 are of type int, as is what
                       is computed from nothing else; variables are of type int64_t
    [int64]            the evaluation of an index term in C, each operation in its type: [None]
                       if some intermediate result leaves the range of its type, or on a
                       division by zero
    [fcomm_typed]      every operation is in 64 bits: constants alone are folded
    [fcomm_int64]      wherever a flat command evaluates an index term, [int64] succeeds and
                       gives the mathematical value; imp/Int64Limits.v says of which sizes *)

From Coq Require Import ZArith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Flat.
Import ListNotations.
Local Open Scope Z_scope.

Definition max_int64 : Z := 2 ^ 63.

Definition in_range (z : Z) : option Z :=
  if (- max_int64 <=? z) && (z <? max_int64) then Some z else None.

Inductive ctype : Type := Narrow | Wide.

Definition in_type (t : ctype) (z : Z) : option Z :=
  match t with
  | Narrow => if (- 2 ^ 31 <=? z) && (z <? 2 ^ 31) then Some z else None
  | Wide => in_range z
  end.

(** The usual arithmetic conversions. *)
Definition wider (t u : ctype) : ctype :=
  match t, u with Narrow, Narrow => Narrow | _, _ => Wide end.

Definition is_wide (t : ctype) : bool := match t with Wide => true | Narrow => false end.

(** A decimal literal has the first of the types int, long, long long that holds it. *)
Fixpoint size_type (s : size) : ctype :=
  match s with
  | SVar _ => Wide
  | SConst c => if N.ltb c (2 ^ 31) then Narrow else Wide
  | SAdd a b | SMul a b => wider (size_type a) (size_type b)
  | SPart _ _ => Wide
  end.

Fixpoint ixe_type (e : ixe) : ctype :=
  match e with
  | XVar _ => Wide
  | XSize s => size_type s
  | XAdd a b | XSub a b | XMul a b | XDiv a b | XMod a b => wider (ixe_type a) (ixe_type b)
  end.

Definition lift (f : Z -> Z -> option Z) (a b : option Z) : option Z :=
  match a, b with
  | Some x, Some y => f x y
  | _, _ => None
  end.

(** All parts of a size; each is computed when the size is. *)
Fixpoint size_parts (s : size) : list size :=
  s :: match s with
       | SVar _ | SConst _ => []
       | SAdd a b | SMul a b => size_parts a ++ size_parts b
       | SPart _ v => [SVar v]
       end.

(** What is asked of the allocator for n elements, at most; none has more than eight bytes. *)
Definition alloc_bytes (n : size) : size := SAdd (SMul (SConst 8) n) (SConst 127).

(** In C, of what is in 64 bits; numbers are literals. *)
Definition quot64 (a b : option Z) : option Z := lift (fun x y => if y =? 0 then None else in_range (Z.quot x y)) a b.
Definition rem64 (a b : option Z) : option Z := lift (fun x y => if y =? 0 then None else in_range (Z.rem x y)) a b.
Definition sum64 (a b : option Z) : option Z := lift (fun x y => in_range (x + y)) a b.
Definition literal (c : N) : option Z := in_type (size_type (SConst c)) (Z.of_N c).

Definition part_int64 (p : part) (x : option Z) : option Z :=
  match p with
  | Quot d => quot64 x (literal (Npos d))
  | Rem d => rem64 x (literal (Npos d))
  | Digit d c => rem64 (quot64 x (literal (Npos d))) (literal (Npos c))
  | Started d => quot64 (sum64 (rem64 x (literal (Npos d))) (literal (N.pred (Npos d)))) (literal (Npos d))
  end.

Definition narrow (c : N) : bool := N.ltb c (2 ^ 31).

(** Its numbers are of type int. *)
Definition part_typed (p : part) : bool :=
  match p with
  | Quot d | Rem d | Started d => narrow (Npos d)
  | Digit d c => narrow (Npos d) && narrow (Npos c)
  end.

Section INT64.
  Context (sg : nat -> nat).

  Fixpoint size_int64 (s : size) : option Z :=
    match s with
    | SVar v => in_range (Z.of_nat (sg v))
    | SConst c => in_type (size_type s) (Z.of_N c)
    | SAdd a b => lift (fun x y => in_type (size_type s) (x + y)) (size_int64 a) (size_int64 b)
    | SMul a b => lift (fun x y => in_type (size_type s) (x * y)) (size_int64 a) (size_int64 b)
    | SPart p v => part_int64 p (in_range (Z.of_nat (sg v)))
    end.

  Fixpoint int64 (ie : nat -> nat) (e : ixe) : option Z :=
    match e with
    | XVar i => in_range (Z.of_nat (ie i))
    | XSize s => size_int64 s
    | XAdd a b => lift (fun x y => in_type (ixe_type e) (x + y)) (int64 ie a) (int64 ie b)
    | XSub a b => lift (fun x y => in_type (ixe_type e) (x - y)) (int64 ie a) (int64 ie b)
    | XMul a b => lift (fun x y => in_type (ixe_type e) (x * y)) (int64 ie a) (int64 ie b)
    | XDiv a b =>
        lift (fun x y => if y =? 0 then None else in_type (ixe_type e) (Z.quot x y))
          (int64 ie a) (int64 ie b)
    | XMod a b =>
        lift (fun x y => if y =? 0 then None else in_type (ixe_type e) (Z.rem x y))
          (int64 ie a) (int64 ie b)
    end.

  Lemma int64_div ie a b : ixe_type a = Wide -> int64 ie (XDiv a b) = quot64 (int64 ie a) (int64 ie b).
  Proof. intros wide. cbn [int64 ixe_type]. rewrite wide. reflexivity. Qed.

  Lemma int64_mod ie a b : ixe_type a = Wide -> int64 ie (XMod a b) = rem64 (int64 ie a) (int64 ie b).
  Proof. intros wide. cbn [int64 ixe_type]. rewrite wide. reflexivity. Qed.

  Lemma int64_add ie a b : ixe_type a = Wide -> int64 ie (XAdd a b) = sum64 (int64 ie a) (int64 ie b).
  Proof. intros wide. cbn [int64 ixe_type]. rewrite wide. reflexivity. Qed.

  Lemma int64_literal ie c : int64 ie (XSize (SConst c)) = literal c.
  Proof. reflexivity. Qed.

  Lemma part_index_type p v : ixe_type (part_index p v) = Wide.
  Proof. destruct p; reflexivity. Qed.

  Lemma part_index_int64 ie p v : int64 ie (part_index p v) = int64 ie (XSize (SPart p v)).
  Proof.
    destruct p as [d|d|d c|d]; cbn [part_index];
      repeat first [rewrite int64_div by reflexivity | rewrite int64_mod by reflexivity | rewrite int64_add by reflexivity];
      rewrite !int64_literal; reflexivity.
  Qed.

  Definition computed (ie : nat -> nat) (e : ixe) : Prop :=
    int64 ie e = Some (Z.of_nat (ixe_val sg ie e)).

  Definition size_computed (s : size) : Prop :=
    size_int64 s = Some (Z.of_nat (size_val sg s)).

  Fixpoint guard_computed (ie : nat -> nat) (g : guard) : Prop :=
    match g with
    | GLess a b | GEqual a b => computed ie a /\ computed ie b
    | GAnd g1 g2 | GOr g1 g2 => guard_computed ie g1 /\ guard_computed ie g2
    | GNot g1 => guard_computed ie g1
    end.

  Definition access_computed (ie : nat -> nat) (i : option ixe) : Prop :=
    match i with None => True | Some e => computed ie e end.

  Fixpoint fexp_computed (ie : nat -> nat) (e : fexp) : Prop :=
    match e with
    | FRead _ i => access_computed ie i
    | FConst _ => True
    | FIndex i => computed ie i
    | FOp1 _ e1 => fexp_computed ie e1
    | FOp2 _ e1 e2 => fexp_computed ie e1 /\ fexp_computed ie e2
    | FOp3 _ e1 e2 e3 => fexp_computed ie e1 /\ fexp_computed ie e2 /\ fexp_computed ie e3
    | FIf g e1 e2 =>
        guard_computed ie g /\
        if guard_val sg ie g then fexp_computed ie e1 else fexp_computed ie e2
    end.

  (** The terms, and their difference in 64 bits. *)
  Definition pair_computed (ie : nat -> nat) (p : ixe * ixe) : Prop :=
    computed ie (fst p) /\ computed ie (snd p) /\
    let d := Z.of_nat (ixe_val sg ie (fst p)) - Z.of_nat (ixe_val sg ie (snd p)) in in_range d = Some d.

  Definition pairs_computed (ie : nat -> nat) (l : list (ixe * ixe)) : Prop := Forall (pair_computed ie) l.

  Fixpoint fcomm_int64 (c : fcomm) (ie : nat -> nat) : Prop :=
    match c with
    | FSkip => True
    | FSeq c1 c2 => fcomm_int64 c1 ie /\ fcomm_int64 c2 ie
    | FAssign _ i e => access_computed ie i /\ fexp_computed ie e
    | FNew _ None c1 => fcomm_int64 c1 ie
    | FNew _ (Some n) c1 =>
        (* the argument, and in the allocator the product in 64 bits *)
        size_computed n /\ Z.of_nat (size_val sg (alloc_bytes n)) < max_int64 /\
        fcomm_int64 c1 ie
    | FFor _ i n c1 =>
        size_computed n /\
        forall j, (j < size_val sg n)%nat -> fcomm_int64 c1 (bind ie i j)
    | FWithin i n lo hi c1 =>
        pairs_computed ie lo /\ pairs_computed ie hi /\ size_computed n /\
        forall j, (j < count_of sg ie n lo hi)%nat -> fcomm_int64 c1 (bind ie i (first_of sg ie lo + j))
    end.
End INT64.

Fixpoint size_typed (s : size) : bool :=
  match s with
  | SVar _ | SConst _ => true
  | SAdd a b | SMul a b => is_wide (size_type s) && size_typed a && size_typed b
  | SPart p _ => part_typed p
  end.

Fixpoint ixe_typed (e : ixe) : bool :=
  match e with
  | XVar _ => true
  | XSize s => size_typed s
  | XAdd a b | XSub a b | XMul a b | XDiv a b | XMod a b =>
      is_wide (ixe_type e) && ixe_typed a && ixe_typed b
  end.

Fixpoint guard_typed (g : guard) : bool :=
  match g with
  | GLess a b | GEqual a b => ixe_typed a && ixe_typed b
  | GAnd g1 g2 | GOr g1 g2 => guard_typed g1 && guard_typed g2
  | GNot g1 => guard_typed g1
  end.

Definition access_typed (i : option ixe) : bool :=
  match i with None => true | Some e => ixe_typed e end.

Fixpoint fexp_typed (e : fexp) : bool :=
  match e with
  | FRead _ i => access_typed i
  | FConst _ => true
  | FIndex i => ixe_typed i
  | FOp1 _ e1 => fexp_typed e1
  | FOp2 _ e1 e2 => fexp_typed e1 && fexp_typed e2
  | FOp3 _ e1 e2 e3 => fexp_typed e1 && fexp_typed e2 && fexp_typed e3
  | FIf g e1 e2 => guard_typed g && fexp_typed e1 && fexp_typed e2
  end.

Definition pairs_typed (l : list (ixe * ixe)) : bool := forallb (fun p => ixe_typed (fst p) && ixe_typed (snd p)) l.

Fixpoint fcomm_typed (c : fcomm) : bool :=
  match c with
  | FSkip => true
  | FSeq c1 c2 => fcomm_typed c1 && fcomm_typed c2
  | FAssign _ i e => access_typed i && fexp_typed e
  | FNew _ n c1 => match n with None => true | Some s => size_typed s end && fcomm_typed c1
  | FFor _ _ n c1 => size_typed n && fcomm_typed c1
  | FWithin _ n lo hi c1 => pairs_typed lo && pairs_typed hi && size_typed n && fcomm_typed c1
  end.
