(** Variants of the shipped kernels that add up in another order, or round a product and a sum
    once, compute what their plain kernels do wherever addition has its laws: over the reals,
    over any commutative ring, and over floats up to rounding alone. Variants that only run
    otherwise are the business of [schedule.Strategy].

    [adds K]       addition is associative and commutative, zero is neutral, [Fma] is not fused
    [sum n h]      h 0 + ... + h (n-1), from left to right
    [KERNEL]       the functional term of each shipped kernel that is compared here;
                   tests/driver/variants_test.py compares these with what the command writes
    [A_B]          the kernels A and B have the same value, for all sizes *)

From Coq Require Import Arith NArith ZArith List Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
Import ListNotations.

Record adds (K : scalars) : Prop := {
  add_assoc : forall x y z, op2 K Add x (op2 K Add y z) = op2 K Add (op2 K Add x y) z;
  add_comm : forall x y, op2 K Add x y = op2 K Add y x;
  add_zero : forall x, op2 K Add (cst K zero) x = x;
  fma_unfused : forall x y z, op3 K Fma x y z = op2 K Add (op2 K Mul x y) z
}.

(** ** Sums *)

Section SUMS.
  Context (K : scalars) (ADDS : adds K).

  Notation "x +. y" := (op2 K Add x y) (at level 50, left associativity).

  Definition sum (n : nat) (h : nat -> num K) : num K :=
    iterate n (fun j s => s +. h j) (cst K zero).

  (** A loop over values, seen at one cell that it keeps apart from the others. *)
  Lemma iterate_cell n (f : nat -> value K -> value K) g v p :
    (forall j a, j < n -> f j a p = g j (a p)) -> iterate n f v p = iterate n g (v p).
  Proof using Type.
    induction n as [|n IHn]; intros same; [reflexivity|]. cbn [iterate].
    rewrite same by lia. f_equal. apply IHn. intros j a j_lt. apply same. lia.
  Qed.

  Lemma iterate_ext n (f g : nat -> num K -> num K) s :
    (forall j a, j < n -> f j a = g j a) -> iterate n f s = iterate n g s.
  Proof using Type.
    induction n as [|n IHn]; intros same; [reflexivity|]. cbn [iterate].
    rewrite IHn by (intros j a j_lt; apply same; lia). apply same. lia.
  Qed.

  Lemma sum_succ n h : sum (S n) h = sum n h +. h n.
  Proof using Type. reflexivity. Qed.

  Lemma sum_ext n h h' : (forall j, j < n -> h j = h' j) -> sum n h = sum n h'.
  Proof using Type.
    intros same. apply iterate_ext. intros j a j_lt. now rewrite same.
  Qed.

  Lemma sum_app a b h : sum (a + b) h = sum a h +. sum b (fun j => h (a + j)).
  Proof using ADDS.
    induction b as [|b IHb].
    - rewrite Nat.add_0_r. unfold sum at 3. cbn [iterate].
      now rewrite (add_comm K ADDS), (add_zero K ADDS).
    - rewrite Nat.add_succ_r, !sum_succ, IHb. symmetry. apply (add_assoc K ADDS).
  Qed.

  (** Parts of m, one after the other. *)
  Lemma sum_parts parts m h :
    sum parts (fun i => sum m (fun j => h (i * m + j))) = sum (parts * m) h.
  Proof using ADDS.
    induction parts as [|parts IHp]; [reflexivity|].
    rewrite sum_succ, IHp. replace (S parts * m) with (parts * m + m) by lia.
    symmetry. apply sum_app.
  Qed.

  Lemma sum_zeros n : sum n (fun _ => cst K zero) = cst K zero.
  Proof using ADDS.
    induction n as [|n IHn]; [reflexivity|]. now rewrite sum_succ, IHn, (add_zero K ADDS).
  Qed.

  Lemma sum_plus n h h' : sum n (fun j => h j +. h' j) = sum n h +. sum n h'.
  Proof using ADDS.
    induction n as [|n IHn]; [symmetry; apply (add_zero K ADDS)|]. rewrite !sum_succ, IHn.
    rewrite !(add_assoc K ADDS). f_equal. rewrite <- !(add_assoc K ADDS). f_equal.
    apply (add_comm K ADDS).
  Qed.

  Lemma sum_swap m n h :
    sum m (fun i => sum n (fun j => h i j)) = sum n (fun j => sum m (fun i => h i j)).
  Proof using ADDS.
    induction m as [|m IHm]; [symmetry; apply sum_zeros|].
    rewrite sum_succ, IHm, <- sum_plus. apply sum_ext. intros j _. reflexivity.
  Qed.

  (** Lanes: running sums over every m-th element, which are added last. *)
  Lemma sum_lanes m n h :
    sum m (fun i => sum n (fun j => h (j * m + i))) = sum (n * m) h.
  Proof using ADDS. rewrite sum_swap. apply sum_parts. Qed.
End SUMS.

(** Sizes by number. *)
Definition sizes (l : list nat) (v : nat) : nat := nth v l 0.

(** ** The kernels *)

Definition dot : exp :=
  ERed Fresh (SVar 0) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op2
    Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))))) (ECst TNum (Dyadic 0 0))
    (ELay LZip (EPair (EVar 0) (EVar 1))).

Definition dot_lanes : exp :=
  ELet (EMem (TAry (SConst 16) TNum) (ERed Fresh (SVar 0) (TAry (SConst 16) (TPair TNum
    TNum)) (TAry (SConst 16) TNum) (EMap Vec (SConst 16) (TPair TNum (TPair TNum TNum))
    TNum (EOp (Op3 Fma) (EPair (ELay LFst (ELay LSnd (EVar 0))) (EPair (ELay LSnd (ELay
    LSnd (EVar 0))) (ELay LFst (EVar 0))))) (ELay LZip (EPair (EVar 1) (EVar 0)))) (ECst
    (TAry (SConst 16) TNum) (Dyadic 0 0)) (ELay (LSplit (SConst 16) (SVar 0)) (ELay LZip
    (EPair (EVar 0) (EVar 1)))))) (ERed Fresh (SConst 16) TNum TNum (EOp (Op2 Add)
    (EPair (EVar 1) (EVar 0))) (ECst TNum (Dyadic 0 0)) (EVar 0)).

Definition product : exp :=
  ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 0) (TPair TNum TNum) TNum (EOp (Op2 Mul) (EPair (ELay
    LFst (EVar 0)) (ELay LSnd (EVar 0)))) (ELay LZip (EPair (EVar 0) (EVar 1)))).

Definition product_split : exp :=
  ERed Fresh (SVar 1) TNum TNum (EOp (Op2 Add) (EPair (EVar 0) (EVar 1))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 1) (TAry (SVar 0) (TPair TNum TNum)) TNum (ERed Fresh
    (SVar 0) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (EOp (Op2 Mul) (EPair (ELay
    LFst (EVar 0)) (ELay LSnd (EVar 0)))) (EVar 1))) (ECst TNum (Dyadic 0 0)) (EVar 0))
    (ELay (LSplit (SVar 0) (SVar 1)) (ELay LZip (EPair (EVar 0) (EVar 1))))).

Definition sum_vec : exp :=
  ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EVar 0).

Definition sum_vec_split : exp :=
  ERed Fresh (SVar 1) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 1) (TAry (SVar 0) TNum) TNum (ERed Fresh (SVar 0) TNum
    TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum (Dyadic 0 0)) (EVar 0))
    (ELay (LSplit (SVar 0) (SVar 1)) (EVar 0))).

Definition norm1 : exp :=
  ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op1 Abs) (EVar
    0)))) (ECst TNum (Dyadic 0 0)) (EVar 0).

Definition norm1_split : exp :=
  ERed Fresh (SVar 1) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 1) (TAry (SVar 0) TNum) TNum (ERed Fresh (SVar 0) TNum
    TNum (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op1 Abs) (EVar 0)))) (ECst TNum (Dyadic 0
    0)) (EVar 0)) (ELay (LSplit (SVar 0) (SVar 1)) (EVar 0))).

Definition norm2 : exp :=
  EOp (Op1 Sqrt) (ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op2
    Mul) (EPair (EVar 0) (EVar 0))))) (ECst TNum (Dyadic 0 0)) (EVar 0)).

Definition norm2_split : exp :=
  EOp (Op1 Sqrt) (ERed Fresh (SVar 1) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar
    0))) (ECst TNum (Dyadic 0 0)) (EMap Par (SVar 1) (TAry (SVar 0) TNum) TNum (ERed
    Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op2 Mul) (EPair (EVar
    0) (EVar 0))))) (ECst TNum (Dyadic 0 0)) (EVar 0)) (ELay (LSplit (SVar 0) (SVar 1))
    (EVar 0)))).

Definition axpy_vec : exp :=
  EMap Par (SVar 0) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (EOp (Op2 Mul) (EPair
    (EVar 1) (ELay LFst (EVar 0)))) (ELay LSnd (EVar 0)))) (ELay LZip (EPair (EVar 1)
    (EVar 2))).

Definition axpy_simd : exp :=
  ELay (LJoin (SConst 256) (SVar 0)) (EMap Par (SVar 0) (TAry (SConst 256) (TPair TNum
    TNum)) (TAry (SConst 256) TNum) (EMap Vec (SConst 256) (TPair TNum TNum) TNum (EOp
    (Op3 Fma) (EPair (EVar 2) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))) (EVar
    0)) (ELay (LSplit (SConst 256) (SVar 0)) (ELay LZip (EPair (EVar 1) (EVar 2))))).

Definition matmul : exp :=
  EMap Par (SVar 0) (TAry (SVar 1) TNum) (TAry (SVar 2) TNum) (EMap Seq (SVar 2) (TAry
    (SVar 1) TNum) TNum (ERed Fresh (SVar 1) (TPair TNum TNum) TNum (EOp (Op2 Add)
    (EPair (EVar 1) (EOp (Op2 Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))))
    (ECst TNum (Dyadic 0 0)) (ELay LZip (EPair (EVar 1) (EVar 0)))) (ELay LTrans (EVar
    2))) (EVar 0).

Definition matmul_rows : exp :=
  EMap Par (SVar 0) (TAry (SVar 1) TNum) (TAry (SVar 2) TNum) (ERed Into (SVar 1) (TPair
    TNum (TAry (SVar 2) TNum)) (TAry (SVar 2) TNum) (EMap Vec (SVar 2) (TPair TNum TNum)
    TNum (EOp (Op3 Fma) (EPair (ELay LFst (EVar 1)) (EPair (ELay LSnd (EVar 0)) (ELay
    LFst (EVar 0))))) (ELay LZip (EPair (EVar 1) (ELay LSnd (EVar 0))))) (ECst (TAry
    (SVar 2) TNum) (Dyadic 0 0)) (ELay LZip (EPair (EVar 0) (EVar 2)))) (EVar 0).

Definition matmul_tiled : exp :=
  ELay (LJoin (SConst 4) (SVar 0)) (EMap Par (SVar 0) (TAry (SConst 4) (TAry (SVar 2)
    TNum)) (TAry (SConst 4) (TAry (SMul (SConst 16) (SVar 1)) TNum)) (ELay (LMap (LJoin
    (SConst 16) (SVar 1))) (ELay LTrans (EMap Seq (SVar 1) (TAry (SVar 2) (TAry (SConst
    16) TNum)) (TAry (SConst 4) (TAry (SConst 16) TNum)) (ERed Fresh (SVar 2) (TPair
    (TAry (SConst 4) TNum) (TAry (SConst 16) TNum)) (TAry (SConst 4) (TAry (SConst 16)
    TNum)) (EMap Unr (SConst 4) (TPair (TAry (SConst 16) TNum) TNum) (TAry (SConst 16)
    TNum) (EMap Vec (SConst 16) (TPair TNum TNum) TNum (EOp (Op3 Fma) (EPair (ELay LSnd
    (EVar 1)) (EPair (ELay LSnd (EVar 0)) (ELay LFst (EVar 0))))) (ELay LZip (EPair
    (ELay LFst (EVar 0)) (ELay LSnd (EVar 1))))) (ELay LZip (EPair (EVar 1) (ELay LFst
    (EVar 0))))) (ECst (TAry (SConst 4) (TAry (SConst 16) TNum)) (Dyadic 0 0)) (ELay
    LZip (EPair (ELay LTrans (EVar 1)) (EVar 0)))) (ELay LTrans (ELay (LMap (LSplit
    (SConst 16) (SVar 1))) (EVar 2)))))) (ELay (LSplit (SConst 4) (SVar 0)) (EVar 0))).

Definition sum_mat : exp :=
  ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 0) (TAry (SVar 1) TNum) TNum (ERed Fresh (SVar 1) TNum
    TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum (Dyadic 0 0)) (EVar 0))
    (EVar 0)).

Definition sum_mat_lanes : exp :=
  ERed Fresh (SVar 0) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar 0))) (ECst TNum
    (Dyadic 0 0)) (EMap Par (SVar 0) (TAry (SMul (SConst 16) (SVar 1)) TNum) TNum (ELet
    (EMem (TAry (SConst 16) TNum) (ERed Fresh (SVar 1) (TAry (SConst 16) TNum) (TAry
    (SConst 16) TNum) (EMap Vec (SConst 16) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair
    (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))) (ELay LZip (EPair (EVar 1) (EVar 0))))
    (ECst (TAry (SConst 16) TNum) (Dyadic 0 0)) (ELay (LSplit (SConst 16) (SVar 1))
    (EVar 0)))) (ERed Fresh (SConst 16) TNum TNum (EOp (Op2 Add) (EPair (EVar 1) (EVar
    0))) (ECst TNum (Dyadic 0 0)) (EVar 0))) (EVar 0)).

Definition sum_block : exp :=
  ERed Fresh (SMul (SVar 1) (SVar 0)) (TAry (SVar 2) (TAry (SVar 3) TNum)) (TAry (SVar
    2) (TAry (SVar 3) TNum)) (EMap Seq (SVar 2) (TPair (TAry (SVar 3) TNum) (TAry (SVar
    3) TNum)) (TAry (SVar 3) TNum) (EMap Seq (SVar 3) (TPair TNum TNum) TNum (EOp (Op2
    Add) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))) (ELay LZip (EPair (ELay LFst
    (EVar 0)) (ELay LSnd (EVar 0))))) (ELay LZip (EPair (EVar 1) (EVar 0)))) (ECst (TAry
    (SVar 2) (TAry (SVar 3) TNum)) (Dyadic 0 0)) (ELay (LJoin (SVar 1) (SVar 0)) (EVar
    0)).

Definition sum_block_bands : exp :=
  ERed Fresh (SVar 0) (TAry (SVar 2) (TAry (SVar 3) TNum)) (TAry (SVar 2) (TAry (SVar 3)
    TNum)) (EMap Seq (SVar 2) (TPair (TAry (SVar 3) TNum) (TAry (SVar 3) TNum)) (TAry
    (SVar 3) TNum) (EMap Seq (SVar 3) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (ELay
    LFst (EVar 0)) (ELay LSnd (EVar 0)))) (ELay LZip (EPair (ELay LFst (EVar 0)) (ELay
    LSnd (EVar 0))))) (ELay LZip (EPair (EVar 1) (EVar 0)))) (ECst (TAry (SVar 2) (TAry
    (SVar 3) TNum)) (Dyadic 0 0)) (EMap Par (SVar 0) (TAry (SVar 1) (TAry (SVar 2) (TAry
    (SVar 3) TNum))) (TAry (SVar 2) (TAry (SVar 3) TNum)) (ERed Fresh (SVar 1) (TAry
    (SVar 2) (TAry (SVar 3) TNum)) (TAry (SVar 2) (TAry (SVar 3) TNum)) (EMap Seq (SVar
    2) (TPair (TAry (SVar 3) TNum) (TAry (SVar 3) TNum)) (TAry (SVar 3) TNum) (EMap Seq
    (SVar 3) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (ELay LFst (EVar 0)) (ELay
    LSnd (EVar 0)))) (ELay LZip (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))))
    (ELay LZip (EPair (EVar 1) (EVar 0)))) (ECst (TAry (SVar 2) (TAry (SVar 3) TNum))
    (Dyadic 0 0)) (EVar 0)) (EVar 0)).

Definition dense : exp :=
  EMap Par (SVar 0) (TAry (SVar 1) TNum) (TAry (SVar 2) TNum) (EMap Seq (SVar 2) (TPair
    (TAry (SVar 1) TNum) TNum) TNum (EOp (Op2 Max) (EPair (EOp (Op2 Add) (EPair (ELay
    LSnd (EVar 0)) (ERed Fresh (SVar 1) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair
    (EVar 1) (EOp (Op2 Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))))) (ECst
    TNum (Dyadic 0 0)) (ELay LZip (EPair (EVar 1) (ELay LFst (EVar 0))))))) (ECst TNum
    (Dyadic 0 0)))) (ELay LZip (EPair (EVar 2) (EVar 3)))) (EVar 0).

Definition dense_tiled : exp :=
  EMap Par (SVar 0) (TAry (SVar 1) TNum) (TAry (SMul (SConst 8) (SVar 2)) TNum) (ELay
    (LJoin (SConst 8) (SVar 2)) (EMap Seq (SVar 2) (TAry (SConst 8) (TPair (TAry (SVar
    1) TNum) TNum)) (TAry (SConst 8) TNum) (ELet (EMem (TAry (SConst 8) TNum) (ERed
    Fresh (SVar 1) (TPair TNum (TAry (SConst 8) TNum)) (TAry (SConst 8) TNum) (EMap Unr
    (SConst 8) (TPair TNum TNum) TNum (EOp (Op2 Add) (EPair (ELay LFst (EVar 0)) (EOp
    (Op2 Mul) (EPair (ELay LFst (EVar 1)) (ELay LSnd (EVar 0)))))) (ELay LZip (EPair
    (EVar 1) (ELay LSnd (EVar 0))))) (ECst (TAry (SConst 8) TNum) (Dyadic 0 0)) (ELay
    LZip (EPair (EVar 1) (ELay LTrans (ELay LFst (ELay LUnzip (EVar 0)))))))) (EMap Unr
    (SConst 8) (TPair TNum TNum) TNum (EOp (Op2 Max) (EPair (EOp (Op2 Add) (EPair (ELay
    LSnd (EVar 0)) (ELay LFst (EVar 0)))) (ECst TNum (Dyadic 0 0)))) (ELay LZip (EPair
    (EVar 0) (ELay LSnd (ELay LUnzip (EVar 1))))))) (ELay (LSplit (SConst 8) (SVar 2))
    (ELay LZip (EPair (EVar 2) (EVar 3)))))) (EVar 0).

(** ** They compute the same *)

Section SAME.
  Context (K : scalars) (ADDS : adds K).

  Notation "x +. y" := (op2 K Add x y) (at level 50, left associativity).
  Notation value_of ns vals e p := (eval (sizes ns) K [] vals e p).

  Local Ltac meaning := cbn [eval lay_path apply_op index_env size_val sizes nth] in *.

  Lemma fma_sum x y z : op3 K Fma x y z = z +. op2 K Mul x y.
  Proof using ADDS. now rewrite (fma_unfused K ADDS), (add_comm K ADDS). Qed.

  Lemma dot_sum n xs ys : value_of [n] [xs; ys] dot [] =
    sum K n (fun j => op2 K Mul (xs [Ix j]) (ys [Ix j])).
  Proof using Type.
    unfold dot, sum. meaning. apply iterate_cell. reflexivity.
  Qed.

  Theorem dot_product n xs ys :
    value_of [n] [xs; ys] dot [] = value_of [n] [xs; ys] product [].
  Proof using Type.
    rewrite dot_sum. unfold product, sum. meaning. symmetry. now apply iterate_cell.
  Qed.

  Theorem dot_dot_lanes m xs ys :
    value_of [16 * m] [xs; ys] dot [] = value_of [m] [xs; ys] dot_lanes [].
  Proof using ADDS.
    rewrite dot_sum, Nat.mul_comm, <- sum_lanes by assumption.
    unfold dot_lanes, sum. meaning. symmetry. apply iterate_cell. intros i a _. meaning.
    f_equal. apply iterate_cell. intros j b _. meaning. apply fma_sum.
  Qed.

  Theorem dot_product_split m parts xs ys :
    value_of [m * parts] [xs; ys] dot [] = value_of [m; parts] [xs; ys] product_split [].
  Proof using ADDS.
    rewrite dot_sum, Nat.mul_comm, <- sum_parts by assumption.
    unfold product_split, sum. meaning. symmetry. apply iterate_cell. intros i a _. meaning.
    rewrite (add_comm K ADDS). f_equal. apply iterate_cell. intros j b _. meaning.
    apply (add_comm K ADDS).
  Qed.

  Theorem sum_vec_sum_vec_split m parts xs :
    value_of [m * parts] [xs] sum_vec [] = value_of [m; parts] [xs] sum_vec_split [].
  Proof using ADDS.
    transitivity (sum K (parts * m) (fun j => xs [Ix j])).
    - rewrite Nat.mul_comm. unfold sum_vec, sum. meaning. now apply iterate_cell.
    - rewrite <- sum_parts by assumption. unfold sum_vec_split, sum. meaning. symmetry.
      apply iterate_cell. intros i a _. meaning. f_equal. now apply iterate_cell.
  Qed.

  Theorem norm1_norm1_split m parts xs :
    value_of [m * parts] [xs] norm1 [] = value_of [m; parts] [xs] norm1_split [].
  Proof using ADDS.
    transitivity (sum K (parts * m) (fun j => op1 K Abs (xs [Ix j]))).
    - rewrite Nat.mul_comm. unfold norm1, sum. meaning. now apply iterate_cell.
    - rewrite <- sum_parts by assumption. unfold norm1_split, sum. meaning. symmetry.
      apply iterate_cell. intros i a _. meaning. f_equal. now apply iterate_cell.
  Qed.

  Theorem norm2_norm2_split m parts xs :
    value_of [m * parts] [xs] norm2 [] = value_of [m; parts] [xs] norm2_split [].
  Proof using ADDS.
    transitivity (op1 K Sqrt (sum K (parts * m) (fun j => op2 K Mul (xs [Ix j]) (xs [Ix j])))).
    - rewrite Nat.mul_comm. unfold norm2, sum. meaning. f_equal. now apply iterate_cell.
    - rewrite <- sum_parts by assumption. unfold norm2_split, sum. meaning. f_equal. symmetry.
      apply iterate_cell. intros i a _. meaning. f_equal. now apply iterate_cell.
  Qed.

  Lemma join_split i n : n <> 0 -> i / n * n + i mod n = i.
  Proof using Type. intros n_pos. rewrite Nat.mul_comm. symmetry. now apply Nat.div_mod. Qed.

  Theorem axpy_vec_axpy_simd nt a xs ys i :
    value_of [256 * nt] [a; xs; ys] axpy_vec [Ix i] =
    value_of [nt] [a; xs; ys] axpy_simd [Ix i].
  Proof using ADDS.
    unfold axpy_vec, axpy_simd. meaning. rewrite join_split by discriminate.
    symmetry. apply (fma_unfused K ADDS).
  Qed.

  Lemma matmul_sum m n p a b i j : value_of [m; n; p] [a; b] matmul [Ix i; Ix j] =
    sum K n (fun k => op2 K Mul (a [Ix i; Ix k]) (b [Ix k; Ix j])).
  Proof using Type. unfold matmul, sum. meaning. now apply iterate_cell. Qed.

  Theorem matmul_matmul_rows m n p a b i j :
    value_of [m; n; p] [a; b] matmul [Ix i; Ix j] =
    value_of [m; n; p] [a; b] matmul_rows [Ix i; Ix j].
  Proof using ADDS.
    rewrite matmul_sum. unfold matmul_rows, sum. meaning. symmetry. apply iterate_cell.
    intros k s _. meaning. apply fma_sum.
  Qed.

  Theorem matmul_matmul_tiled mt nt k a b i j :
    value_of [4 * mt; k; 16 * nt] [a; b] matmul [Ix i; Ix j] =
    value_of [mt; nt; k] [a; b] matmul_tiled [Ix i; Ix j].
  Proof using ADDS.
    rewrite matmul_sum. unfold matmul_tiled, sum. meaning. symmetry. apply iterate_cell.
    intros l s _. meaning. rewrite !join_split by discriminate. apply fma_sum.
  Qed.

  Lemma sum_mat_sum m n a : value_of [m; n] [a] sum_mat [] =
    sum K m (fun i => sum K n (fun j => a [Ix i; Ix j])).
  Proof using Type.
    unfold sum_mat, sum. meaning. apply iterate_cell. intros i s _. meaning. f_equal.
    now apply iterate_cell.
  Qed.

  Theorem sum_mat_sum_mat_lanes m nt a :
    value_of [m; 16 * nt] [a] sum_mat [] = value_of [m; nt] [a] sum_mat_lanes [].
  Proof using ADDS.
    rewrite sum_mat_sum. unfold sum_mat_lanes. meaning. unfold sum at 1. symmetry.
    apply iterate_cell. intros i s _. meaning. f_equal.
    rewrite Nat.mul_comm, <- sum_lanes by assumption. unfold sum.
    apply iterate_cell. intros j t _. meaning. f_equal. now apply iterate_cell.
  Qed.

  Theorem sum_block_sum_block_bands m1 n1 m n a i j :
    value_of [m1; n1; m; n] [a] sum_block [Ix i; Ix j] =
    value_of [m1; n1; m; n] [a] sum_block_bands [Ix i; Ix j].
  Proof using ADDS.
    transitivity (sum K (m1 * n1) (fun k => a [Ix (k / n1); Ix (k mod n1); Ix i; Ix j])).
    - rewrite Nat.mul_comm. unfold sum_block, sum. meaning. now apply iterate_cell.
    - rewrite <- sum_parts by assumption. unfold sum_block_bands, sum. meaning. symmetry.
      apply iterate_cell. intros k s _. meaning. f_equal. apply iterate_cell.
      intros l t l_lt. meaning. assert (n1 <> 0) as n1_pos by lia.
      now rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r, Nat.add_comm, Nat.mod_add,
        Nat.mod_small by assumption.
  Qed.

  (** No law is needed here: the running sums are kept in a tile, in the same order. *)
  Theorem dense_dense_tiled m n pt x weight bias i j :
    value_of [m; n; 8 * pt] [x; weight; bias] dense [Ix i; Ix j] =
    value_of [m; n; pt] [x; weight; bias] dense_tiled [Ix i; Ix j].
  Proof using Type.
    unfold dense, dense_tiled. meaning. rewrite join_split by discriminate.
    f_equal. f_equal. transitivity (iterate n (fun k s =>
      s +. op2 K Mul (x [Ix i; Ix k]) (weight [Ix j; Ix k])) (cst K zero)); [|symmetry];
      apply iterate_cell; intros k s _; meaning; [reflexivity|].
    now rewrite join_split by discriminate.
  Qed.
End SAME.
