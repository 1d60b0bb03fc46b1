(** Index arithmetic in 64 bits.

    [ctype]            the type of a subterm: literals below 2^31 are of type int, as is what
                       is computed from nothing else; variables are of type int64_t
    [int64]            the evaluation of an index term in C, each operation in its type: [None]
                       if some intermediate result leaves the range of its type, or on a
                       division by zero
    [fcomm_typed]      every operation is in 64 bits: constants alone are folded
    [fcomm_int64]      wherever a flat command evaluates an index term, [int64] succeeds and
                       gives the mathematical value
    [fcomm_limits]     sizes such that, if they are below 2^63, nothing overflows; the theorem
                       is [fcomm_limits_sound] *)

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

(** Its numbers are of type int. *)
Definition part_typed (p : part) : bool :=
  match p with
  | Quot d | Rem d | Started d => N.ltb (Npos d) (2 ^ 31)
  | Digit d c => N.ltb (Npos d) (2 ^ 31) && N.ltb (Npos c) (2 ^ 31)
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

Fixpoint fcomm_typed (c : fcomm) : bool :=
  match c with
  | FSkip => true
  | FSeq c1 c2 => fcomm_typed c1 && fcomm_typed c2
  | FAssign _ i e => access_typed i && fexp_typed e
  | FNew _ n c1 => match n with None => true | Some s => size_typed s end && fcomm_typed c1
  | FFor _ _ n c1 => size_typed n && fcomm_typed c1
  end.

(** An upper bound of an index term, given the bound of each loop variable. *)
Fixpoint ixe_limit (bound : nat -> size) (e : ixe) : size :=
  match e with
  | XVar i => bound i
  | XSize s => s
  | XAdd a b => SAdd (ixe_limit bound a) (ixe_limit bound b)
  | XMul a b => SMul (ixe_limit bound a) (ixe_limit bound b)
  | XSub a _ | XDiv a _ | XMod a _ => ixe_limit bound a
  end.

Fixpoint ixe_limits (bound : nat -> size) (e : ixe) : list size :=
  match e with
  | XVar i => [bound i]
  | XSize s => size_parts s
  | XAdd a b | XMul a b =>
      ixe_limit bound e :: ixe_limits bound a ++ ixe_limits bound b
  | XSub a b | XDiv a b | XMod a b => ixe_limits bound a ++ ixe_limits bound b
  end.

Fixpoint guard_limits (bound : nat -> size) (g : guard) : list size :=
  match g with
  | GLess a b | GEqual a b => ixe_limits bound a ++ ixe_limits bound b
  | GAnd g1 g2 | GOr g1 g2 => guard_limits bound g1 ++ guard_limits bound g2
  | GNot g1 => guard_limits bound g1
  end.

Definition access_limits (bound : nat -> size) (i : option ixe) : list size :=
  match i with None => [] | Some e => ixe_limits bound e end.

Fixpoint fexp_limits (bound : nat -> size) (e : fexp) : list size :=
  match e with
  | FRead _ i => access_limits bound i
  | FConst _ => []
  | FIndex i => ixe_limits bound i
  | FOp1 _ e1 => fexp_limits bound e1
  | FOp2 _ e1 e2 => fexp_limits bound e1 ++ fexp_limits bound e2
  | FOp3 _ e1 e2 e3 => fexp_limits bound e1 ++ fexp_limits bound e2 ++ fexp_limits bound e3
  | FIf g e1 e2 => guard_limits bound g ++ fexp_limits bound e1 ++ fexp_limits bound e2
  end.

Definition set_bound (bound : nat -> size) (i : nat) (n : size) : nat -> size :=
  fun j => if Nat.eqb j i then n else bound j.

Fixpoint fcomm_limits (bound : nat -> size) (c : fcomm) : list size :=
  match c with
  | FSkip => []
  | FSeq c1 c2 => fcomm_limits bound c1 ++ fcomm_limits bound c2
  | FAssign _ i e => access_limits bound i ++ fexp_limits bound e
  | FNew _ None c1 => fcomm_limits bound c1
  | FNew _ (Some n) c1 => alloc_bytes n :: size_parts n ++ fcomm_limits bound c1
  | FFor _ i n c1 => size_parts n ++ fcomm_limits (set_bound bound i n) c1
  end.

Section SOUNDNESS.
  Context (sg : nat -> nat).

  Definition fits (s : size) : Prop := Z.of_nat (size_val sg s) < max_int64.
  Definition bounded (bound : nat -> size) (ie : nat -> nat) : Prop :=
    forall i, fits (bound i) -> (ie i <= size_val sg (bound i))%nat.

  Lemma in_range_nat n : Z.of_nat n < max_int64 -> in_range (Z.of_nat n) = Some (Z.of_nat n).
  Proof.
    intros small. unfold in_range. replace ((- max_int64 <=? Z.of_nat n) && _) with true;
      [reflexivity|]. symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt.
    unfold max_int64 in *. lia.
  Qed.

  Lemma size_parts_self s : In s (size_parts s).
  Proof. destruct s; simpl; auto. Qed.

  Lemma literal_in_type c :
    Z.of_N c < max_int64 -> in_type (size_type (SConst c)) (Z.of_N c) = Some (Z.of_N c).
  Proof.
    intros small. cbn [size_type]. destruct (N.ltb_spec c (2 ^ 31)) as [narrow|wide]; cbn [in_type].
    - replace ((- 2 ^ 31 <=? Z.of_N c) && (Z.of_N c <? 2 ^ 31)) with true; [reflexivity|].
      symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. lia.
    - rewrite <- (N_nat_Z c) in *. apply in_range_nat, small.
  Qed.

  Lemma wide_true t : is_wide t = true -> t = Wide.
  Proof. destruct t; [discriminate | reflexivity]. Qed.

  Lemma literal_small c : N.ltb c (2 ^ 31) = true -> literal c = Some (Z.of_N c).
  Proof.
    intros small. apply N.ltb_lt in small. apply literal_in_type. unfold max_int64. lia.
  Qed.

  Lemma quot64_val x d : Z.of_nat x < max_int64 -> quot64 (Some (Z.of_nat x)) (Some (Z.of_N (Npos d))) =
    Some (Z.of_nat (x / Pos.to_nat d)).
  Proof.
    intros small. unfold quot64, lift. destruct (Z.eqb_spec (Z.of_N (Npos d)) 0); [lia|].
    rewrite Z.quot_div_nonneg by lia. change (Z.of_N (Npos d)) with (Zpos d).
    rewrite <- (positive_nat_Z d), <- Nat2Z.inj_div. apply in_range_nat.
    pose proof (part_le (Quot d) x). cbn [part_val] in *. lia.
  Qed.

  Lemma rem64_val x d : Z.of_nat x < max_int64 -> rem64 (Some (Z.of_nat x)) (Some (Z.of_N (Npos d))) =
    Some (Z.of_nat (x mod Pos.to_nat d)).
  Proof.
    intros small. unfold rem64, lift. destruct (Z.eqb_spec (Z.of_N (Npos d)) 0); [lia|].
    rewrite Z.rem_mod_nonneg by lia. change (Z.of_N (Npos d)) with (Zpos d).
    rewrite <- (positive_nat_Z d), <- Nat2Z.inj_mod. apply in_range_nat.
    pose proof (part_le (Rem d) x). cbn [part_val] in *. lia.
  Qed.

  Lemma sum64_val x y : Z.of_nat (x + y) < max_int64 ->
    sum64 (Some (Z.of_nat x)) (Some (Z.of_nat y)) = Some (Z.of_nat (x + y)).
  Proof. intros small. unfold sum64, lift. rewrite <- Nat2Z.inj_add. apply in_range_nat, small. Qed.

  Lemma pred_small c : N.ltb c (2 ^ 31) = true -> N.ltb (N.pred c) (2 ^ 31) = true.
  Proof.
    generalize (2 ^ 31)%N. intros most below. apply N.ltb_lt in below. apply N.ltb_lt.
    apply (N.le_lt_trans _ c); [apply N.le_pred_l | exact below].
  Qed.

  Lemma pred_nat d : Z.of_N (N.pred (N.pos d)) = Z.of_nat (Pos.to_nat d - 1).
  Proof. rewrite <- N_nat_Z, N2Nat.inj_pred, Nat.sub_1_r. reflexivity. Qed.

  Lemma left_below x d : (x mod Pos.to_nat d < Pos.to_nat d)%nat.
  Proof. apply Nat.mod_upper_bound. pose proof (Pos2Nat.is_pos d). lia. Qed.

  Lemma started_fits r d : (r < Pos.to_nat d)%nat -> N.ltb (Npos d) (2 ^ 31) = true ->
    Z.of_nat (r + (Pos.to_nat d - 1)) < max_int64.
  Proof.
    intros below typed. apply N.ltb_lt in typed. assert (typed_z : Zpos d < 2 ^ 31) by lia.
    clear typed. rewrite <- (positive_nat_Z d) in typed_z. revert below typed_z.
    generalize (Pos.to_nat d). intros w below typed_z. unfold max_int64. lia.
  Qed.


  Lemma t1 d : part_typed (Quot d) = true -> literal (Npos d) = Some (Z.of_N (Npos d)).
  Proof. intros typed. exact (literal_small _ typed). Qed.
  Lemma t2 d x : part_int64 (Quot d) (Some (Z.of_nat x)) = quot64 (Some (Z.of_nat x)) (literal (Npos d)).
  Proof. reflexivity. Qed.
  Lemma t3 d x : literal (Npos d) = Some (Z.of_N (Npos d)) -> Z.of_nat x < max_int64 -> quot64 (Some (Z.of_nat x)) (literal (Npos d)) = Some (Z.of_nat (x / Pos.to_nat d)).
  Proof. intros l small. rewrite l. exact (quot64_val x d small). Qed.
