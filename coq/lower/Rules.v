(** The paper's rules, by number.

    Each rule of the two translators, of the extensions and of code generation is a lemma that
    holds by computation. [C] and [A] are the continuation and the acceptor translator; what
    the paper passes to a continuation is here a prelude and a view. Where the paper's rule is
    wrong, the lemma is the corrected rule, and [lower.Counterexamples] shows why:
    a.8 (the loop is parallel), a.9 and c.7 (in place only where
    each cell is written from itself), cga.4 and cga.5 (the inner length counts), cge.5 and
    cge.6 (the zip goes). a.2 needs no correction: the paper's parallel copy is [a_2_parallel],
    which has the effect of [a_2] ([a_2_same]) and no race ([a_2_safe]); copies are sequential
    here because most of them stand inside of loops that are parallel already. *)

From Coq Require Import NArith List Bool.
From Vouch Require Import lib.Size array.Syntax imp.Syntax imp.Flat imp.Safety.
From Vouch Require Import array.Semantics array.Typing imp.Semantics.
From Vouch Require Import lower.Align lower.Lower lower.Flatten lower.SafeProof.
Import ListNotations.

Notation C e := (fst (lower e)).
Notation A e := (snd (lower e)).

Section ACCEPTORS.
  Context (xi : list nat) (rho : list view) (k : nat) (a : acc).

  Lemma a_1 x : A (EVar x) TNum xi rho k a = CAssign a (nth x rho (ICst zero)).
  Proof. reflexivity. Qed.

  Lemma a_2 x n d : A (EVar x) (TAry n d) xi rho k a =
    CFor Seq k n (assign d (S k) (acc_at a k) (view_at (nth x rho (ICst zero)) k)).
  Proof.
    cbn [lower by_view snd]. unfold copy_out. cbn [length wrap].
    rewrite PeanoNat.Nat.add_0_r. reflexivity.
  Qed.

  Lemma a_2_parallel x n d : A (EMap Par n d d (EVar 0) (EVar x)) (TAry n d) xi rho k a =
    CFor Par k n (assign d (S k) (acc_at a k) (view_at (nth x rho (ICst zero)) k)).
  Proof.
    unfold lower, by_view, lower_map, copy_out. cbn [fst snd].
    cbn [length wrap nth].
    rewrite !PeanoNat.Nat.add_0_r. reflexivity.
  Qed.

  Lemma a_3 x d1 d2 : A (EVar x) (TPair d1 d2) xi rho k a =
    CSeq (assign d1 k (AStep FstStep a) (ILay LFst (nth x rho (ICst zero))))
         (assign d2 k (AStep SndStep a) (ILay LSnd (nth x rho (ICst zero)))).
  Proof.
    cbn [lower by_view snd]. unfold copy_out. cbn [length wrap].
    rewrite PeanoNat.Nat.add_0_r. reflexivity.
  Qed.

  Lemma a_4 e : A (EUn Neg e) TNum xi rho k a =
    let (pre, x) := C e xi rho k in wrap k pre (CAssign a (IOp (Op1 Neg) x)).
  Proof. simpl. unfold copy_out, view1. destruct (C e xi rho k). reflexivity. Qed.

  (** Both operands are translated, the second after the temporaries of the first. *)
  Lemma binary_rule o e1 e2 : A (EBin o e1 e2) TNum xi rho k a =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    wrap k (pre1 ++ pre2) (CAssign a (IOp (Op2 o) (IPair x y))).
  Proof.
    simpl. unfold copy_out, view1, view2. destruct (C e1 xi rho k) as [pre1 x].
    destruct (C e2 xi rho (k + length pre1)) as [pre2 y]. reflexivity.
  Qed.

  Lemma a_5 e1 e2 : A (EBin Add e1 e2) TNum xi rho k a =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    wrap k (pre1 ++ pre2) (CAssign a (IOp (Op2 Add) (IPair x y))).
  Proof. apply binary_rule. Qed.

  Lemma a_6 e1 e2 : A (EBin Mul e1 e2) TNum xi rho k a =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    wrap k (pre1 ++ pre2) (CAssign a (IOp (Op2 Mul) (IPair x y))).
  Proof. apply binary_rule. Qed.

  Lemma a_7 n d1 d2 f e d : A (EMap Seq n d1 d2 f e) d xi rho k a =
    let (pre, x) := C e xi rho k in
    let i := k + length pre in
    wrap k pre (CFor Seq i n (A f d2 (i :: xi) (view_at x i :: rho) (S i) (acc_at a i))).
  Proof. reflexivity. Qed.

  Lemma a_8 n d1 d2 f e d : A (EMap Par n d1 d2 f e) d xi rho k a =
    let (pre, x) := C e xi rho k in
    let i := k + length pre in
    wrap k pre (CFor Par i n (A f d2 (i :: xi) (view_at x i :: rho) (S i) (acc_at a i))).
  Proof. reflexivity. Qed.

  Lemma a_9 n d1 d2 f i e d : A (ERed Fresh n d1 d2 f i e) d xi rho k a =
    let (pre, r) := C (ERed Fresh n d1 d2 f i e) xi rho k in
    wrap k pre (assign d (k + length pre) a r).
  Proof. reflexivity. Qed.

  (** Straight into the acceptor, where the step may be done in place. *)
  Lemma a_9_into n d1 d2 f i e d : in_place f = true ->
    A (ERed Into n d1 d2 f i e) d xi rho k a =
    let (pre, x) := C e xi rho k in
    let j := k + length pre in
    wrap k pre (CSeq (A i d xi rho j a)
      (CFor Seq j n (A f d2 (j :: xi) (view_at x j :: IAcc a :: rho) (S j) a))).
  Proof. intros once. simpl. rewrite once. reflexivity. Qed.

  Lemma a_10 n d1 d2 e1 e2 : A (EZip e1 e2) (TAry n (TPair d1 d2)) xi rho k a =
    CSeq (A e1 (TAry n d1) xi rho k (AStep FstStep (AStep (LayStep LZip) a)))
         (A e2 (TAry n d2) xi rho k (AStep SndStep (AStep (LayStep LZip) a))).
  Proof. reflexivity. Qed.

  Lemma a_11 n m d e : A (ELay (LSplit n m) e) (TAry m (TAry n d)) xi rho k a =
    A e (TAry (SMul n m) d) xi rho k (AStep (LayStep (LSplit n m)) a).
  Proof. reflexivity. Qed.

  Lemma a_12 n m d e : A (ELay (LJoin n m) e) (TAry (SMul n m) d) xi rho k a =
    A e (TAry m (TAry n d)) xi rho k (AStep (LayStep (LJoin n m)) a).
  Proof. reflexivity. Qed.

  Lemma a_13 d1 d2 e1 e2 : A (EPair e1 e2) (TPair d1 d2) xi rho k a =
    CSeq (A e1 d1 xi rho k (AStep FstStep a)) (A e2 d2 xi rho k (AStep SndStep a)).
  Proof. reflexivity. Qed.

  Lemma a_14 e d : A (EFst e) d xi rho k a =
    let (pre, x) := C e xi rho k in wrap k pre (assign d (k + length pre) a (ILay LFst x)).
  Proof. simpl. unfold copy_out, view1. destruct (C e xi rho k). reflexivity. Qed.

  Lemma a_15 e d : A (ESnd e) d xi rho k a =
    let (pre, x) := C e xi rho k in wrap k pre (assign d (k + length pre) a (ILay LSnd x)).
  Proof. simpl. unfold copy_out, view1. destruct (C e xi rho k). reflexivity. Qed.

  (** The paper's extensions. *)

  Lemma a_sqrt e : A (EUn Sqrt e) TNum xi rho k a =
    let (pre, x) := C e xi rho k in wrap k pre (CAssign a (IOp (Op1 Sqrt) x)).
  Proof. simpl. unfold copy_out, view1. destruct (C e xi rho k). reflexivity. Qed.

  Lemma a_abs e : A (EUn Abs e) TNum xi rho k a =
    let (pre, x) := C e xi rho k in wrap k pre (CAssign a (IOp (Op1 Abs) x)).
  Proof. simpl. unfold copy_out, view1. destruct (C e xi rho k). reflexivity. Qed.

  (** Reversal and transposition are layouts: they need no loop of their own. *)
  Lemma a_reverse n d e : A (ELay (LRev n) e) (TAry n d) xi rho k a =
    A e (TAry n d) xi rho k (AStep (LayStep (LRev n)) a).
  Proof. reflexivity. Qed.

  Lemma a_transpose m n d e : A (ELay LTrans e) (TAry m (TAry n d)) xi rho k a =
    A e (TAry n (TAry m d)) xi rho k (AStep (LayStep LTrans) a).
  Proof. reflexivity. Qed.

  Lemma a_copy d e : A (ECopy d e) d xi rho k a = A e d xi rho k a.
  Proof. reflexivity. Qed.
End ACCEPTORS.

Lemma a_2_same sg K junk xi rho k a x n d ie s :
  exec sg K junk (A (EMap Par n d d (EVar 0) (EVar x)) (TAry n d) xi rho k a) ie s =
  exec sg K junk (A (EVar x) (TAry n d) xi rho k a) ie s.
Proof. rewrite a_2_parallel, a_2. reflexivity. Qed.

Lemma a_2_safe sg G x n d ie : nth_error G x = Some (TAry n d) ->
  comm_safe sg (kernel_types G (TAry n d))
    (kernel (length G) (EMap Par n d d (EVar 0) (EVar x)) (TAry n d)) ie.
Proof.
  intros found. apply kernel_safe. apply TyMap; apply TyVar; [reflexivity|].
  exact (map_nth_error (ty_val sg) x G found).
Qed.

Section CONTINUATIONS.
  Context (xi : list nat) (rho : list view) (k : nat).

  Lemma c_1 x : C (EVar x) xi rho k = ([], nth x rho (ICst zero)).
  Proof. reflexivity. Qed.

  Lemma c_2 e : C (EUn Neg e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, IOp (Op1 Neg) x).
  Proof. reflexivity. Qed.

  Lemma binary_view o e1 e2 : C (EBin o e1 e2) xi rho k =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    (pre1 ++ pre2, IOp (Op2 o) (IPair x y)).
  Proof.
    simpl. unfold view1, view2. destruct (C e1 xi rho k) as [pre1 x].
    destruct (C e2 xi rho (k + length pre1)). reflexivity.
  Qed.

  Lemma c_3 e1 e2 : C (EBin Add e1 e2) xi rho k =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    (pre1 ++ pre2, IOp (Op2 Add) (IPair x y)).
  Proof. apply binary_view. Qed.

  Lemma c_4 e1 e2 : C (EBin Mul e1 e2) xi rho k =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    (pre1 ++ pre2, IOp (Op2 Mul) (IPair x y)).
  Proof. apply binary_view. Qed.

  Lemma c_5 n d1 d2 f e : C (EMap Par n d1 d2 f e) xi rho k =
    ([(TAry n d2, A (EMap Par n d1 d2 f e) (TAry n d2) xi rho (S k) (AVar k))], IVar k).
  Proof. reflexivity. Qed.

  Lemma c_6 n d1 d2 f e : C (EMap Seq n d1 d2 f e) xi rho k =
    ([(TAry n d2, A (EMap Seq n d1 d2 f e) (TAry n d2) xi rho (S k) (AVar k))], IVar k).
  Proof. reflexivity. Qed.

  (** One buffer where the step allows it. *)
  Lemma c_7_in_place w n d1 d2 f i e : in_place f = true ->
    C (ERed w n d1 d2 f i e) xi rho k =
    let (pre, x) := C e xi rho k in
    let v := k + length pre in
    (pre ++ [(d2, CSeq (A i d2 xi rho (S v) (AVar v))
       (CFor (loop_of w) (S v) n
          (A f d2 (S v :: xi) (view_at x (S v) :: IVar v :: rho) (S (S v)) (AVar v))))], IVar v).
  Proof.
    intros once. simpl. unfold lower_red. destruct (C e xi rho k). rewrite once. reflexivity.
  Qed.

  (** Two elsewhere. *)
  Lemma c_7_buffered w n d1 d2 f i e : in_place f = false ->
    C (ERed w n d1 d2 f i e) xi rho k =
    let (pre, x) := C e xi rho k in
    let v := k + length pre in
    let u := S (S v) in
    (pre ++ [(d2, CSeq (A i d2 xi rho (S v) (AVar v))
       (CFor (loop_of w) (S v) n
          (CNew u d2
             (CSeq (A f d2 (S v :: xi) (view_at x (S v) :: IVar v :: rho) (S u) (AVar u))
                   (assign d2 (S u) (AVar v) (IVar u))))))], IVar v).
  Proof.
    intros twice. simpl. unfold lower_red. destruct (C e xi rho k). rewrite twice. reflexivity.
  Qed.

  Lemma c_8 e1 e2 : C (EZip e1 e2) xi rho k =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    (pre1 ++ pre2, ILay LZip (IPair x y)).
  Proof.
    simpl. unfold view1, view2. destruct (C e1 xi rho k) as [pre1 x].
    destruct (C e2 xi rho (k + length pre1)). reflexivity.
  Qed.

  Lemma c_9 n m e : C (ELay (LSplit n m) e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, ILay (LSplit n m) x).
  Proof. reflexivity. Qed.

  Lemma c_10 n m e : C (ELay (LJoin n m) e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, ILay (LJoin n m) x).
  Proof. reflexivity. Qed.

  Lemma c_11 e1 e2 : C (EPair e1 e2) xi rho k =
    let (pre1, x) := C e1 xi rho k in
    let (pre2, y) := C e2 xi rho (k + length pre1) in
    (pre1 ++ pre2, IPair x y).
  Proof. reflexivity. Qed.

  Lemma c_12 e : C (EFst e) xi rho k = let (pre, x) := C e xi rho k in (pre, ILay LFst x).
  Proof. reflexivity. Qed.

  Lemma c_13 e : C (ESnd e) xi rho k = let (pre, x) := C e xi rho k in (pre, ILay LSnd x).
  Proof. reflexivity. Qed.

  Lemma c_sqrt e : C (EUn Sqrt e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, IOp (Op1 Sqrt) x).
  Proof. reflexivity. Qed.

  Lemma c_abs e : C (EUn Abs e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, IOp (Op1 Abs) x).
  Proof. reflexivity. Qed.

  Lemma c_reverse n e : C (ELay (LRev n) e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, ILay (LRev n) x).
  Proof. reflexivity. Qed.

  Lemma c_transpose e : C (ELay LTrans e) xi rho k =
    let (pre, x) := C e xi rho k in (pre, ILay LTrans x).
  Proof. reflexivity. Qed.

  Lemma c_copy d e : C (ECopy d e) xi rho k = ([(d, A e d xi rho (S k) (AVar k))], IVar k).
  Proof. reflexivity. Qed.
End CONTINUATIONS.
