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

Definition pairs_limits (bound : nat -> size) (l : list (ixe * ixe)) : list size :=
  flat_map (fun p => ixe_limits bound (fst p) ++ ixe_limits bound (snd p)) l.

Fixpoint fcomm_limits (bound : nat -> size) (c : fcomm) : list size :=
  match c with
  | FSkip => []
  | FSeq c1 c2 => fcomm_limits bound c1 ++ fcomm_limits bound c2
  | FAssign _ i e => access_limits bound i ++ fexp_limits bound e
  | FNew _ None c1 => fcomm_limits bound c1
  | FNew _ (Some n) c1 => alloc_bytes n :: size_parts n ++ fcomm_limits bound c1
  | FFor _ i n c1 => size_parts n ++ fcomm_limits (set_bound bound i n) c1
  | FWithin i n lo hi c1 =>
      pairs_limits bound lo ++ pairs_limits bound hi ++ size_parts n ++ fcomm_limits (set_bound bound i n) c1
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

  Lemma in_range_difference x y : Z.of_nat x < max_int64 -> Z.of_nat y < max_int64 ->
    in_range (Z.of_nat x - Z.of_nat y) = Some (Z.of_nat x - Z.of_nat y).
  Proof.
    intros small_x small_y. unfold in_range. replace ((- max_int64 <=? Z.of_nat x - Z.of_nat y) && _) with true;
      [reflexivity|]. symmetry. apply andb_true_iff. rewrite Z.leb_le, Z.ltb_lt. unfold max_int64 in *. lia.
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

  Lemma literal_small c : narrow c = true -> literal c = Some (Z.of_N c).
  Proof.
    unfold narrow. intros small. apply N.ltb_lt in small. apply literal_in_type. unfold max_int64. lia.
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

  Lemma pred_small c : narrow c = true -> narrow (N.pred c) = true.
  Proof.
    unfold narrow. generalize (2 ^ 31)%N. intros most below. apply N.ltb_lt in below. apply N.ltb_lt.
    apply (N.le_lt_trans _ c); [apply N.le_pred_l | exact below].
  Qed.

  Lemma pred_nat d : Z.of_N (N.pred (N.pos d)) = Z.of_nat (Pos.to_nat d - 1).
  Proof. rewrite <- N_nat_Z, N2Nat.inj_pred, Nat.sub_1_r. reflexivity. Qed.

  Lemma left_below x d : (x mod Pos.to_nat d < Pos.to_nat d)%nat.
  Proof. apply Nat.mod_upper_bound. pose proof (Pos2Nat.is_pos d). lia. Qed.

  Lemma started_fits r d : (r < Pos.to_nat d)%nat -> narrow (Npos d) = true ->
    Z.of_nat (r + (Pos.to_nat d - 1)) < max_int64.
  Proof.
    unfold narrow. intros below typed. apply N.ltb_lt in typed. assert (typed_z : Zpos d < 2 ^ 31) by lia.
    clear typed. rewrite <- (positive_nat_Z d) in typed_z. revert below typed_z.
    generalize (Pos.to_nat d). intros w below typed_z. unfold max_int64. lia.
  Qed.

  Lemma quot_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    quot64 (Some (Z.of_nat x)) (literal (Npos d)) = Some (Z.of_nat (x / Pos.to_nat d)).
  Proof. intros small_d small. rewrite (literal_small _ small_d). apply quot64_val, small. Qed.

  Lemma rem_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    rem64 (Some (Z.of_nat x)) (literal (Npos d)) = Some (Z.of_nat (x mod Pos.to_nat d)).
  Proof. intros small_d small. rewrite (literal_small _ small_d). apply rem64_val, small. Qed.

  Lemma quotient_small x d : Z.of_nat x < max_int64 -> Z.of_nat (x / Pos.to_nat d) < max_int64.
  Proof. intros small. pose proof (part_le (Quot d) x) as le. cbn [part_val] in le. lia. Qed.

  Lemma started_literal x d : narrow (Npos d) = true -> Z.of_nat x < max_int64 ->
    quot64 (sum64 (rem64 (Some (Z.of_nat x)) (literal (Npos d))) (literal (N.pred (Npos d)))) (literal (Npos d)) =
    Some (Z.of_nat ((x mod Pos.to_nat d + (Pos.to_nat d - 1)) / Pos.to_nat d)).
  Proof.
    intros small_d small. pose proof (started_fits _ d (left_below x d) small_d) as fits_sum.
    rewrite (rem_literal x d small_d small), (literal_small _ (pred_small _ small_d)), pred_nat.
    rewrite (sum64_val _ _ fits_sum). apply quot_literal; [exact small_d | exact fits_sum].
  Qed.

  Strategy opaque [literal narrow quot64 rem64 sum64 in_range].

  Lemma part_int64_val p x : part_typed p = true -> Z.of_nat x < max_int64 ->
    part_int64 p (Some (Z.of_nat x)) = Some (Z.of_nat (part_val p x)).
  Proof.
    intros typed small. destruct p as [d|d|d c|d].
    - exact (quot_literal x d typed small).
    - exact (rem_literal x d typed small).
    - apply andb_true_iff in typed as [typed_d typed_c].
      refine (eq_trans (f_equal (fun q => rem64 q (literal (Npos c))) (quot_literal x d typed_d small)) _).
      exact (rem_literal _ c typed_c (quotient_small x d small)).
    - exact (started_literal x d typed small).
  Qed.

  Lemma size_parts_sound s :
    size_typed s = true -> Forall fits (size_parts s) -> size_computed sg s.
  Proof.
    unfold size_computed.
    induction s as [v|c|a IHa b IHb|a IHa b IHb|p v]; intros typed small;
      inversion small as [|s l here parts s_l]; unfold fits in here; cbn [size_val] in here.
    - apply in_range_nat, here.
    - cbn [size_int64 size_val]. rewrite N_nat_Z in *. apply literal_in_type, here.
    - apply andb_true_iff in typed as [typed typed_b].
      apply andb_true_iff in typed as [wide typed_a]. simpl in parts.
      apply Forall_app in parts as [parts_a parts_b].
      cbn [size_int64]. rewrite (IHa typed_a parts_a), (IHb typed_b parts_b).
      rewrite (wide_true _ wide). cbn [lift in_type size_val].
      rewrite <- Nat2Z.inj_add. apply in_range_nat, here.
    - apply andb_true_iff in typed as [typed typed_b].
      apply andb_true_iff in typed as [wide typed_a]. simpl in parts.
      apply Forall_app in parts as [parts_a parts_b].
      cbn [size_int64]. rewrite (IHa typed_a parts_a), (IHb typed_b parts_b).
      rewrite (wide_true _ wide). cbn [lift in_type size_val].
      rewrite <- Nat2Z.inj_mul. apply in_range_nat, here.
    - inversion parts as [|s0 l0 whole none s0_l0]. change (Z.of_nat (sg v) < max_int64) in whole.
      cbn [size_int64 size_val size_typed] in *. rewrite (in_range_nat _ whole). apply part_int64_val; [exact typed | exact whole].
  Qed.

  Section IN_SCOPE.
    Context (bound : nat -> size) (ie : nat -> nat) (BOUNDED : bounded bound ie).

    (** Terms within their limits: evaluated right, and below the limit. *)
    Lemma ixe_limits_sound e :
      ixe_typed e = true -> ixe_safe sg ie e -> Forall fits (ixe_limits bound e) ->
      computed sg ie e /\ (ixe_val sg ie e <= size_val sg (ixe_limit bound e))%nat /\
      fits (ixe_limit bound e).
    Proof using BOUNDED.
      unfold computed.
      induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
        cbn [ixe_typed]; intros typed;
        try (apply andb_true_iff in typed as [typed typed_b];
             apply andb_true_iff in typed as [wide typed_a]; apply wide_true in wide;
             specialize (IHa typed_a); specialize (IHb typed_b); cbn [int64]; rewrite wide);
        simpl; intros safe small.
      - inversion small as [|s l here parts s_l]. specialize (BOUNDED i here).
        repeat split; auto. apply in_range_nat. unfold fits in here. lia.
      - repeat split; auto.
        + apply size_parts_sound; assumption.
        + rewrite Forall_forall in small. apply small, size_parts_self.
      - inversion small as [|s l here parts s_l]. apply Forall_app in parts as [small_a small_b].
        destruct safe as [safe_a safe_b].
        destruct (IHa safe_a small_a) as (comp_a & le_a & _).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_add.
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in here. simpl in here. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & le).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_sub by exact le.
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
      - inversion small as [|s l here parts s_l]. apply Forall_app in parts as [small_a small_b].
        destruct safe as [safe_a safe_b].
        destruct (IHa safe_a small_a) as (comp_a & le_a & _).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl. rewrite <- Nat2Z.inj_mul.
        assert (le : (ixe_val sg ie a * ixe_val sg ie b <=
                      size_val sg (ixe_limit bound a) * size_val sg (ixe_limit bound b))%nat)
          by (apply Nat.mul_le_mono; assumption).
        repeat split; auto. apply in_range_nat. unfold fits in here. simpl in here. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & positive).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl.
        destruct (Z.eqb_spec (Z.of_nat (ixe_val sg ie b)) 0); [lia|].
        rewrite Z.quot_div_nonneg, <- Nat2Z.inj_div by lia.
        assert (le : (ixe_val sg ie a / ixe_val sg ie b <= ixe_val sg ie a)%nat)
          by (apply Nat.div_le_upper_bound; nia).
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
      - apply Forall_app in small as [small_a small_b].
        destruct safe as (safe_a & safe_b & positive).
        destruct (IHa safe_a small_a) as (comp_a & le_a & fits_a).
        destruct (IHb safe_b small_b) as (comp_b & le_b & _).
        rewrite comp_a, comp_b. simpl.
        destruct (Z.eqb_spec (Z.of_nat (ixe_val sg ie b)) 0); [lia|].
        rewrite Z.rem_mod_nonneg, <- Nat2Z.inj_mod by lia.
        pose proof (Nat.mod_le (ixe_val sg ie a) (ixe_val sg ie b) positive).
        repeat split; auto; [|lia]. apply in_range_nat. unfold fits in fits_a. lia.
    Qed.

    Lemma pairs_limits_sound l :
      pairs_typed l = true -> pairs_safe sg ie l -> Forall fits (pairs_limits bound l) -> pairs_computed sg ie l.
    Proof using BOUNDED.
      induction l as [|[a b] l IHl]; [constructor|]. intros typed safe small.
      apply andb_true_iff in typed as [typed_p typed]. apply andb_true_iff in typed_p as [typed_a typed_b].
      inversion_clear safe as [|p0 l0 safe_p safe_l]. destruct safe_p as [safe_a safe_b].
      cbn [pairs_limits flat_map] in small. apply Forall_app in small as [small_p small].
      apply Forall_app in small_p as [small_a small_b]. cbn [fst snd] in *.
      destruct (ixe_limits_sound a typed_a safe_a small_a) as (comp_a & le_a & fits_a).
      destruct (ixe_limits_sound b typed_b safe_b small_b) as (comp_b & le_b & fits_b).
      constructor; [|apply IHl; assumption]. split; [exact comp_a|]. split; [exact comp_b|].
      unfold fits in *. cbn [fst snd]. apply in_range_difference; lia.
    Qed.

    Lemma guard_limits_sound g :
      guard_typed g = true -> guard_safe sg ie g -> Forall fits (guard_limits bound g) ->
      guard_computed sg ie g.
    Proof using BOUNDED.
      induction g as [a b|a b|g1 IH1 g2 IH2|g1 IH1 g2 IH2|g1 IH1]; simpl; intros typed safe small;
        auto; apply andb_true_iff in typed as [typed1 typed2];
        apply Forall_app in small as [small1 small2]; destruct safe as [safe1 safe2]; auto;
        split; apply ixe_limits_sound; assumption.
    Qed.

    Lemma access_limits_sound extent v i :
      access_typed i = true -> access_safe sg extent ie v i ->
      Forall fits (access_limits bound i) -> access_computed sg ie i.
    Proof using BOUNDED.
      destruct i as [e|]; [|intros; exact I]. intros typed [_ safe] small.
      exact (proj1 (ixe_limits_sound e typed safe small)).
    Qed.

    Lemma fexp_limits_sound extent e :
      fexp_typed e = true -> fexp_safe sg extent ie e -> Forall fits (fexp_limits bound e) ->
      fexp_computed sg ie e.
    Proof using BOUNDED.
      induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
        simpl; intros typed safe small; auto.
      - apply (access_limits_sound extent v); assumption.
      - exact (proj1 (ixe_limits_sound i typed safe small)).
      - apply andb_true_iff in typed as [typed1 typed2].
        apply Forall_app in small as [small1 small2]. destruct safe. auto.
      - apply andb_true_iff in typed as [typed typed3]. apply andb_true_iff in typed as [typed1 typed2].
        apply Forall_app in small as [small1 small2]. apply Forall_app in small2 as [small2 small3].
        destruct safe as (safe1 & safe2 & safe3). auto.
      - apply andb_true_iff in typed as [typed typed2].
        apply andb_true_iff in typed as [typed_g typed1].
        apply Forall_app in small as [small_g small]. apply Forall_app in small as [small1 small2].
        destruct safe as [safe_g safe]. split; [apply guard_limits_sound; assumption|].
        destruct (guard_val sg ie g); auto.
    Qed.
  End IN_SCOPE.

  Lemma end_of_le ie n hi : (end_of sg ie n hi <= size_val sg n)%nat.
  Proof. induction hi as [|p hi IHhi]; cbn [end_of fold_right]; [apply le_n|]. fold (end_of sg ie n hi). lia. Qed.

  Lemma within_lt ie n lo hi j : (j < count_of sg ie n lo hi)%nat -> (first_of sg ie lo + j < size_val sg n)%nat.
  Proof. unfold count_of. pose proof (end_of_le ie n hi). lia. Qed.

  Lemma bounded_bind bound ie i j n :
    bounded bound ie -> (j < size_val sg n)%nat -> bounded (set_bound bound i n) (bind ie i j).
  Proof.
    intros BOUNDED j_lt k small. unfold set_bound, bind in *.
    destruct (Nat.eqb k i); [lia | apply BOUNDED, small].
  Qed.

  Theorem fcomm_limits_sound c : forall bound extent ie,
    fcomm_typed c = true -> bounded bound ie -> fcomm_safe sg extent c ie ->
    Forall fits (fcomm_limits bound c) -> fcomm_int64 sg c ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc];
      cbn [fcomm_limits fcomm_int64 fcomm_safe fcomm_typed];
      intros bound extent ie typed BOUNDED safe small; auto.
    - apply andb_true_iff in typed as [typed1 typed2].
      apply Forall_app in small as [small1 small2]. destruct safe. eauto.
    - apply andb_true_iff in typed as [typed_i typed_e].
      apply Forall_app in small as [small_i small_e]. destruct safe as [safe_i safe_e]. split.
      + apply (access_limits_sound bound ie BOUNDED extent v); assumption.
      + apply (fexp_limits_sound bound ie BOUNDED extent); assumption.
    - apply andb_true_iff in typed as [typed_n typed]. destruct n as [n|]; cbv iota in *.
      + inversion small as [|s l bytes parts s_l]. apply Forall_app in parts as [small_n small1].
        split; [apply size_parts_sound; assumption|]. split; [exact bytes|].
        apply (IHc bound (set_extent sg extent v (Some n))); assumption.
      + apply (IHc bound (set_extent sg extent v None)); assumption.
    - apply andb_true_iff in typed as [typed_n typed].
      apply Forall_app in small as [small_n small]. split; [apply size_parts_sound; assumption|].
      intros j j_lt. destruct safe as [safe _].
      apply (IHc (set_bound bound i n) extent); auto using bounded_bind.
    - apply andb_true_iff in typed as [typed typed_c]. apply andb_true_iff in typed as [typed typed_n].
      apply andb_true_iff in typed as [typed_lo typed_hi].
      apply Forall_app in small as [small_lo small]. apply Forall_app in small as [small_hi small].
      apply Forall_app in small as [small_n small]. destruct safe as (safe_lo & safe_hi & safe).
      split; [apply (pairs_limits_sound bound ie BOUNDED); assumption|].
      split; [apply (pairs_limits_sound bound ie BOUNDED); assumption|].
      split; [apply size_parts_sound; assumption|].
      intros j j_lt. apply (IHc (set_bound bound i n) extent); auto. apply bounded_bind; [exact BOUNDED|].
      apply (within_lt _ _ _ _ _ j_lt).
  Qed.
End SOUNDNESS.
