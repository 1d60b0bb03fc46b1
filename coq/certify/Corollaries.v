(** What shipped kernels compute, in statements that a person can read.

    The terms are those of the certificates that the kernels' programs give. [ends k sg K m m1]
    says that the certified text of kernel k, started in memory m with sizes sg, may end in
    memory m1, whatever its threads do. In memory, variables are the inputs in order, then the
    output; [m v a] is scalar number a of variable v.

    [strategies_agree]   strategies do not change the result
    [fold n f]   f (n-1) (.. (f 1 (f 0 0))), a sum in that order *)

From Coq Require Import Arith ZArith NArith Lia List String Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Check.
From Vouch Require Import schedule.Strategy.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Print certify.Parse certify.Certificate.
From Vouch Require Import certify.Readable.
Import ListNotations.
Local Open Scope string_scope.

Definition ends (k : source) (sg : nat -> nat) (K : scalars) (m m1 : mem K) : Prop :=
  exists junk ie t, behaves sg K junk (file_body (file_of k)) ie t /\
    forall v a, m1 v a = run K t m v a.

Definition typed (k : source) : bool :=
  has (infer (kernel_facts k) [] (kernel_inputs k) (kernel_term k)) (kernel_output k).

Lemma ends_value k sg K m m1 p : typed k = true -> facts_hold sg (kernel_facts k) ->
  ends k sg K m m1 -> let D := ty_val sg (kernel_output k) in inb D p ->
  m1 (List.length (kernel_inputs k)) (place_of D p) = kernel_value sg K k m p.
Proof.
  intros checked FACTS (junk & ie & t & RUNS & after) D p_in. rewrite after.
  apply (canonical_computes k _ (program_computes k checked) sg FACTS K junk ie m t RUNS), p_in.
Qed.

Lemma no_facts sg : facts_hold sg [].
Proof. intros a b []. Qed.

(** Kernels that differ in their strategies only give the same output, bit for bit. *)
Theorem strategies_agree k1 k2 sg K m m1 m2 p :
  kernel_inputs k1 = kernel_inputs k2 -> kernel_output k1 = kernel_output k2 ->
  plain (kernel_term k1) = plain (kernel_term k2) ->
  typed k1 = true -> typed k2 = true ->
  facts_hold sg (kernel_facts k1) -> facts_hold sg (kernel_facts k2) ->
  ends k1 sg K m m1 -> ends k2 sg K m m2 ->
  let r := List.length (kernel_inputs k1) in
  let D := ty_val sg (kernel_output k1) in
  inb D p -> m1 r (place_of D p) = m2 r (place_of D p).
Proof.
  intros inputs output term typed1 typed2 FACTS1 FACTS2 END1 END2 r D p_in.
  subst r D. rewrite (ends_value k1 sg K m m1 p typed1 FACTS1 END1 p_in).
  rewrite inputs, output in *. rewrite (ends_value k2 sg K m m2 p typed2 FACTS2 END2 p_in).
  unfold kernel_value. rewrite inputs. apply same_result, term.
Qed.

Definition fold {K : scalars} (n : nat) (f : nat -> num K -> num K) : num K :=
  iterate n f (cst K zero).

(** The value at p is known to be that of the term; what is left is to compute it. *)
Ltac value_at p :=
  match goal with
  | END : ends ?k ?sg ?K ?m ?m1 |- _ =>
      refine (eq_trans (ends_value k sg K m m1 p eq_refl (no_facts sg) END _) _)
  end.

Ltac addresses :=
  unfold kernel_value, input_values; simpl; rewrite ?Nat.mul_1_r, ?Nat.add_0_r; reflexivity.
Ltac sum := apply iterate_scalar; [intros ? ?; addresses | reflexivity].

Section KERNELS.
  Context (sg : nat -> nat) (K : scalars) (mem mem1 : mem K).

  Notation "x [+] y" := (op2 K Add x y) (at level 50, left associativity).
  Notation "x [-] y" := (op2 K Sub x y) (at level 50, left associativity).
  Notation "x [*] y" := (op2 K Mul x y) (at level 40, left associativity).

  Definition sum_vec : source := {|
    kernel_name := "sum_vec";
    kernel_names := {| var_names := ["xs"; "out"]; size_names := ["n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) TNum)];
    kernel_output := TNum;
    kernel_term :=
      (ERed Fresh (SVar 0) TNum TNum
        (EOp (Op2 Add) (EPair (EVar 1) (EVar 0)))
        (ECst TNum (Dyadic 0 0))
        (EVar 0)) |}.

  (** out = ((0 + xs[0]) + xs[1]) + .. *)
  Theorem sum_vec_computes : ends sum_vec sg K mem mem1 ->
    mem1 1 0 = fold (sg 0) (fun i s => s [+] mem 0 i).
  Proof.
    intros END. value_at (@nil step); [exact I|]. sum.
  Qed.

  Definition dot : source := {|
    kernel_name := "dot";
    kernel_names := {| var_names := ["xs"; "ys"; "out"]; size_names := ["n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) TNum); (TAry (SVar 0) TNum)];
    kernel_output := TNum;
    kernel_term :=
      (ERed Fresh (SVar 0) (TPair TNum TNum) TNum
        (EOp (Op2 Add)
          (EPair (EVar 1) (EOp (Op2 Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))))
        (ECst TNum (Dyadic 0 0))
        (ELay LZip (EPair (EVar 0) (EVar 1)))) |}.

  (** out = (0 + xs[0]*ys[0]) + xs[1]*ys[1] + .. *)
  Theorem dot_computes : ends dot sg K mem mem1 ->
    mem1 2 0 = fold (sg 0) (fun i s => s [+] mem 0 i [*] mem 1 i).
  Proof.
    intros END. value_at (@nil step); [exact I|]. sum.
  Qed.

  Definition norm2 : source := {|
    kernel_name := "norm2";
    kernel_names := {| var_names := ["xs"; "out"]; size_names := ["n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) TNum)];
    kernel_output := TNum;
    kernel_term :=
      (EOp (Op1 Sqrt)
        (ERed Fresh (SVar 0) TNum TNum
          (EOp (Op2 Add) (EPair (EVar 1) (EOp (Op2 Mul) (EPair (EVar 0) (EVar 0)))))
          (ECst TNum (Dyadic 0 0))
          (EVar 0))) |}.

  (** The Euclidean norm. *)
  Theorem norm2_computes : ends norm2 sg K mem mem1 ->
    mem1 1 0 = op1 K Sqrt (fold (sg 0) (fun i s => s [+] mem 0 i [*] mem 0 i)).
  Proof.
    intros END. value_at (@nil step); [exact I|].
    refine (f_equal (op1 K Sqrt) _). sum.
  Qed.

  Definition axpy_vec : source := {|
    kernel_name := "axpy_vec";
    kernel_names := {| var_names := ["k"; "xs"; "ys"; "zs"]; size_names := ["n"] |};
    kernel_facts := [];
    kernel_inputs := [TNum; (TAry (SVar 0) TNum); (TAry (SVar 0) TNum)];
    kernel_output := (TAry (SVar 0) TNum);
    kernel_term :=
      (EMap Par (SVar 0) (TPair TNum TNum) TNum
        (EOp (Op2 Add)
          (EPair (EOp (Op2 Mul) (EPair (EVar 1) (ELay LFst (EVar 0)))) (ELay LSnd (EVar 0))))
        (ELay LZip (EPair (EVar 1) (EVar 2)))) |}.

  (** zs[i] = k*xs[i] + ys[i] *)
  Theorem axpy_vec_computes : ends axpy_vec sg K mem mem1 ->
    forall i, i < sg 0 ->
    mem1 3 i = mem 0 0 [*] mem 1 i [+] mem 2 i.
  Proof.
    intros END i i_lt. rewrite <- (place_vector (sg 0) i). value_at [Ix i]; [exact (conj i_lt I)|]. addresses.
  Qed.

  Definition conv : source := {|
    kernel_name := "conv";
    kernel_names := {| var_names := ["xs"; "w"; "ys"]; size_names := ["n"; "k"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SAdd (SVar 0) (SVar 1)) TNum); (TAry (SAdd (SVar 1) (SConst 1)) TNum)];
    kernel_output := (TAry (SVar 0) TNum);
    kernel_term :=
      (EMap Par (SVar 0) (TAry (SAdd (SVar 1) (SConst 1)) TNum) TNum
        (ERed Fresh (SAdd (SVar 1) (SConst 1)) (TPair TNum TNum) TNum
          (EOp (Op2 Add)
            (EPair (EVar 1) (EOp (Op2 Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))))
          (ECst TNum (Dyadic 0 0))
          (ELay LZip (EPair (EVar 0) (EVar 2))))
        (ELay (LSlide (SVar 0) (SAdd (SVar 1) (SConst 1)) (SConst 1) (SConst 1)) (EVar 0))) |}.

  (** ys[i] sums xs[i + j]*w[j] over j <= k. *)
  Theorem conv_computes : ends conv sg K mem mem1 ->
    forall i, i < sg 0 ->
    mem1 2 i = fold (sg 1 + 1) (fun j s => s [+] mem 0 (i + j) [*] mem 1 j).
  Proof.
    intros END i i_lt. rewrite <- (place_vector (sg 0) i). value_at [Ix i]; [exact (conj i_lt I)|]. sum.
  Qed.

  Definition dl_mul_l : source := {|
    kernel_name := "dl_mul_l";
    kernel_names := {| var_names := ["a"; "x"; "y"]; size_names := ["m"; "n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) (TAry (SVar 1) TNum)); (TAry (SVar 1) TNum)];
    kernel_output := (TAry (SVar 0) TNum);
    kernel_term :=
      (EMap Par (SVar 0) (TAry (SVar 1) TNum) TNum
        (ERed Fresh (SVar 1) (TPair TNum TNum) TNum
          (EOp (Op2 Add)
            (EPair (EVar 1) (EOp (Op2 Mul) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))))
          (ECst TNum (Dyadic 0 0))
          (ELay LZip (EPair (EVar 0) (EVar 2))))
        (EVar 0)) |}.

  (** Matrix times vector: y[i] sums a[i][j]*x[j] over j. *)
  Theorem dl_mul_l_computes : ends dl_mul_l sg K mem mem1 ->
    forall i, i < sg 0 ->
    mem1 2 i = fold (sg 1) (fun j s => s [+] mem 0 (i * sg 1 + j) [*] mem 1 j).
  Proof.
    intros END i i_lt. rewrite <- (place_vector (sg 0) i). value_at [Ix i]; [exact (conj i_lt I)|]. sum.
  Qed.

  Definition mat_add : source := {|
    kernel_name := "mat_add";
    kernel_names := {| var_names := ["a"; "b"; "c"]; size_names := ["m"; "n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) (TAry (SVar 1) TNum)); (TAry (SVar 0) (TAry (SVar 1) TNum))];
    kernel_output := (TAry (SVar 0) (TAry (SVar 1) TNum));
    kernel_term :=
      (EMap Par (SVar 0) (TPair (TAry (SVar 1) TNum) (TAry (SVar 1) TNum)) (TAry (SVar 1) TNum)
        (EMap Seq (SVar 1) (TPair TNum TNum) TNum
          (EOp (Op2 Add) (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0))))
          (ELay LZip (EPair (ELay LFst (EVar 0)) (ELay LSnd (EVar 0)))))
        (ELay LZip (EPair (EVar 0) (EVar 1)))) |}.

  (** c[i][j] = a[i][j] + b[i][j] *)
  Theorem mat_add_computes : ends mat_add sg K mem mem1 ->
    forall i j, i < sg 0 -> j < sg 1 ->
    mem1 2 (i * sg 1 + j) = mem 0 (i * sg 1 + j) [+] mem 1 (i * sg 1 + j).
  Proof.
    intros END i j i_lt j_lt. rewrite <- (place_matrix (sg 0) (sg 1) i j).
    value_at [Ix i; Ix j]; [exact (conj i_lt (conj j_lt I))|]. addresses.
  Qed.

  Definition trans : source := {|
    kernel_name := "trans";
    kernel_names := {| var_names := ["a"; "b"]; size_names := ["m"; "n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) (TAry (SVar 1) TNum))];
    kernel_output := (TAry (SVar 1) (TAry (SVar 0) TNum));
    kernel_term :=
      (EMap Par (SVar 1) (TAry (SVar 0) TNum) (TAry (SVar 0) TNum)
        (EMap Seq (SVar 0) TNum TNum (EVar 0) (EVar 0))
        (ELay LTrans (EVar 0))) |}.

  (** b[j][i] = a[i][j] *)
  Theorem trans_computes : ends trans sg K mem mem1 ->
    forall j i, j < sg 1 -> i < sg 0 ->
    mem1 1 (j * sg 0 + i) = mem 0 (i * sg 1 + j).
  Proof.
    intros END j i j_lt i_lt. rewrite <- (place_matrix (sg 1) (sg 0) j i).
    value_at [Ix j; Ix i]; [exact (conj j_lt (conj i_lt I))|]. addresses.
  Qed.

  Definition softmax : source := {|
    kernel_name := "softmax";
    kernel_names := {| var_names := ["a"; "b"]; size_names := ["m"; "n"] |};
    kernel_facts := [];
    kernel_inputs := [(TAry (SVar 0) (TAry (SVar 1) TNum))];
    kernel_output := (TAry (SVar 0) (TAry (SVar 1) TNum));
    kernel_term :=
      (EMap Par (SVar 0) (TAry (SVar 1) TNum) (TAry (SVar 1) TNum)
        (ELet
          (EMem TNum
            (ERed Fresh (SVar 1) TNum TNum
              (EOp (Op2 Max) (EPair (EVar 1) (EVar 0)))
              (ECst TNum (Infinity true))
              (EVar 0)))
          (ELet
            (EMem (TAry (SVar 1) TNum)
              (EMap Seq (SVar 1) TNum TNum
                (EOp (Op1 Exp) (EOp (Op2 Sub) (EPair (EVar 0) (EVar 1))))
                (EVar 1)))
            (ELet
              (EMem TNum
                (ERed Fresh (SVar 1) TNum TNum
                  (EOp (Op2 Add) (EPair (EVar 1) (EVar 0)))
                  (ECst TNum (Dyadic 0 0))
                  (EVar 0)))
              (EMap Seq (SVar 1) TNum TNum (EOp (Op2 Div) (EPair (EVar 0) (EVar 1))) (EVar 1)))))
        (EVar 0)) |}.

  Definition row_max (n i : nat) : num K :=
    iterate n (fun j s => op2 K Max s (mem 0 (i * n + j))) (cst K (Infinity true)).

  Definition shifted_exp (n i j : nat) : num K :=
    op1 K Exp (mem 0 (i * n + j) [-] row_max n i).

  (** b[i][j] = exp(a[i][j] - max of row i) / sum of them over the row. *)
  Theorem softmax_computes : ends softmax sg K mem mem1 ->
    forall i j, i < sg 0 -> j < sg 1 ->
    mem1 1 (i * sg 1 + j) =
    op2 K Div (shifted_exp (sg 1) i j)
      (fold (sg 1) (fun l s => s [+] shifted_exp (sg 1) i l)).
  Proof.
    intros END i j i_lt j_lt. rewrite <- (place_matrix (sg 0) (sg 1) i j).
    value_at [Ix i; Ix j]; [exact (conj i_lt (conj j_lt I))|].
    assert (MAX : forall rho, eval sg K [i] ((fun r => mem 0
        (place_of (SAry (sg 0) (SAry (sg 1) SNum)) (Ix i :: r))) :: rho)
      (ERed Fresh (SVar 1) TNum TNum (EOp (Op2 Max) (EPair (EVar 1) (EVar 0)))
         (ECst TNum (Infinity true)) (EVar 0)) [] = row_max (sg 1) i).
    { intros rho. apply iterate_scalar; [intros l s; addresses | reflexivity]. }
    cbn [eval kernel_value kernel_term softmax apply_op] in *.
    refine (f_equal2 (op2 K Div) _ _).
    - refine (f_equal (op1 K Exp) (f_equal2 (op2 K Sub) _ _)); [addresses|]. apply (MAX []).
    - apply iterate_scalar; [|reflexivity]. intros l s.
      refine (f_equal2 (op2 K Add) eq_refl _).
      refine (f_equal (op1 K Exp) (f_equal2 (op2 K Sub) _ _)); [addresses|]. apply (MAX []).
  Qed.
End KERNELS.
