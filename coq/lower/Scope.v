(** Names in lowered programs: what is in use, and what is fresh.

    [view_in P k x]      x mentions variables of P only, and loop variables below k
    [scoped P k xi rho]  a lowering context: P holds the variables that views may mention,
                         all names in use are below k
    [ext P k n]          P and the n temporaries from k on
    [prelude_fresh]      each temporary of a prelude is filled by writing it alone
    [exec_wrap]          temporaries, then a body: outside the temporaries it is as if the
                         body ran after [run_prelude] *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Frame lower.Lower.
Import ListNotations.

Definition view_in (P : nat -> Prop) (k : nat) (x : view) : Prop :=
  (forall v, occurs x v -> P v) /\ view_below k x.

Record scoped (P : nat -> Prop) (k : nat) (xi : list nat) (rho : list view) : Prop := {
  scoped_vars : forall v, P v -> v < k;
  scoped_loops : Forall (fun v => v < k) xi;
  scoped_views : forall x, In x rho -> view_in P k x
}.

Definition ext (P : nat -> Prop) (k n : nat) : nat -> Prop := fun v => P v \/ k <= v < k + n.

Lemma view_in_incr (P Q : nat -> Prop) k k1 x :
  k <= k1 -> (forall v, P v -> Q v) -> view_in P k x -> view_in Q k1 x.
Proof. intros k_le P_Q [vars below]. split; eauto using view_below_incr. Qed.

Lemma view_in_at P k x : view_in P k x -> view_in P (S k) (view_at x k).
Proof.
  intros [vars below]. split; [exact vars|]. simpl. split; [lia|].
  apply (view_below_incr k); [lia | exact below].
Qed.

Lemma scoped_incr (P Q : nat -> Prop) k k1 xi rho :
  k <= k1 -> (forall v, P v -> Q v) -> (forall v, Q v -> v < k1) ->
  scoped P k xi rho -> scoped Q k1 xi rho.
Proof.
  intros k_le P_Q Q_below [vars loops views]. split; [exact Q_below| |].
  - eapply Forall_impl; [|exact loops]. simpl. lia.
  - intros x x_in. apply (view_in_incr P Q k); auto.
Qed.

Lemma scoped_S P k xi rho : scoped P k xi rho -> scoped P (S k) xi rho.
Proof.
  intros SC. apply (scoped_incr P P k); auto. intros v v_in.
  apply (scoped_vars _ _ _ _ SC) in v_in. lia.
Qed.

Lemma ext_below P k n xi rho v : scoped P k xi rho -> ext P k n v -> v < k + n.
Proof. intros SC [v_in|v_new]; [apply (scoped_vars _ _ _ _ SC) in v_in|]; lia. Qed.

Lemma scoped_ext P k n xi rho : scoped P k xi rho -> scoped (ext P k n) (k + n) xi rho.
Proof.
  intros SC. apply (scoped_incr P _ k); auto; [lia | left; auto |].
  intros v. apply (ext_below P k n xi rho v SC).
Qed.

Lemma scoped_cons P k xi rho x :
  view_in P k x -> scoped P k xi rho -> scoped P k xi (x :: rho).
Proof.
  intros x_in [vars loops views]. split; auto.
  intros y [y_x|y_in]; [rewrite <- y_x; exact x_in | auto].
Qed.

(** Inside loop k, over the elements of x. *)
Lemma scoped_loop P k xi rho x :
  view_in P k x -> scoped P k xi rho -> scoped P (S k) (k :: xi) (view_at x k :: rho).
Proof.
  intros x_in SC. apply scoped_cons; [apply view_in_at, x_in|].
  destruct (scoped_S _ _ _ _ SC) as [vars loops views]. split; auto.
Qed.

(** Inside loop k of a reduction over the elements of x that accumulates in a. *)
Lemma scoped_step P k xi rho x a :
  view_in P k x -> acc_below k a -> scoped P k xi rho -> root a < k ->
  scoped (fun v => P v \/ v = root a) (S k) (k :: xi) (view_at x k :: IAcc a :: rho).
Proof.
  intros x_in a_below SC root_lt.
  assert (SC1 : scoped (fun v => P v \/ v = root a) k xi rho).
  { apply (scoped_incr P _ k); auto.
    intros v [v_in|v_root]; [apply (scoped_vars _ _ _ _ SC), v_in | lia]. }
  apply scoped_loop.
  - apply (view_in_incr P _ k); auto.
  - apply scoped_cons; [|exact SC1]. split; simpl; auto.
Qed.

Lemma view_in_nth P k xi rho x : scoped P k xi rho -> view_in P k (nth x rho (ICst zero)).
Proof.
  intros SC. destruct (nth_in_or_default x rho (ICst zero)) as [x_in|is_default].
  - apply (scoped_views _ _ _ _ SC), x_in.
  - rewrite is_default. split; simpl; tauto.
Qed.

Lemma ext_0 P k v : ext P k 0 v -> P v.
Proof. intros [v_in|v_new]; [exact v_in | lia]. Qed.

Lemma ext_ext P k n m v : ext (ext P k n) (k + n) m v -> ext P k (n + m) v.
Proof. unfold ext. intros [[v_in|v_new]|v_new]; auto; right; lia. Qed.

Lemma ext_le P k n m v : n <= m -> ext P k n v -> ext P k m v.
Proof. unfold ext. intros n_le [v_in|v_new]; auto; right; lia. Qed.

Section PRELUDES.
  Context (sg : nat -> nat).

  Definition writes_only (v : nat) (c : comm) : Prop :=
    forall ie l, comm_writes sg c ie l -> fst l = v.

  Fixpoint prelude_fresh (k : nat) (pre : prelude) : Prop :=
    match pre with
    | [] => True
    | (_, c) :: rest => writes_only k c /\ prelude_fresh (S k) rest
    end.

  Lemma prelude_fresh_app k pre1 pre2 :
    prelude_fresh k pre1 -> prelude_fresh (k + length pre1) pre2 ->
    prelude_fresh k (pre1 ++ pre2).
  Proof.
    revert k. induction pre1 as [|[d c] pre1 IH]; simpl; intros k fresh1 fresh2.
    - rewrite Nat.add_0_r in fresh2. exact fresh2.
    - destruct fresh1 as [only fresh1]. split; [exact only|]. apply IH; [exact fresh1|].
      replace (S k + length pre1) with (k + S (length pre1)) by lia. exact fresh2.
  Qed.

  (** What a wrapped body writes outside is written by the body. *)
  Lemma wrap_writes pre body : forall k ie l,
    prelude_fresh k pre -> comm_writes sg (wrap k pre body) ie l -> comm_writes sg body ie l.
  Proof.
    induction pre as [|[d c] pre IH]; simpl; intros k ie l; [auto|].
    intros [only fresh] [[writes|writes] other].
    - apply only in writes. congruence.
    - apply (IH (S k) ie l fresh writes).
  Qed.

  Section EXEC.
    Context (K : scalars) (junk : nat -> ty -> value K).

    Notation exec := (exec sg K junk).
    Notation run_prelude := (run_prelude sg K junk).

    Lemma run_prelude_frame pre : forall k ie s v p,
      prelude_fresh k pre -> ~ k <= v < k + length pre -> run_prelude k pre ie s v p = s v p.
    Proof.
      induction pre as [|[d c] pre IH]; simpl; intros k ie s v p; [auto|].
      intros [only fresh] other. rewrite IH; [|exact fresh|lia].
      rewrite exec_frame; [apply set_var_other; lia|].
      intros writes. apply only in writes. simpl in writes. lia.
    Qed.

    Lemma exec_wrap pre body : forall k ie s v p,
      prelude_fresh k pre -> ~ k <= v < k + length pre ->
      exec (wrap k pre body) ie s v p = exec body ie (run_prelude k pre ie s) v p.
    Proof.
      induction pre as [|[d c] pre IH]; simpl; intros k ie s v p; [auto|].
      intros [only fresh] other. rewrite set_var_other by lia. apply IH; [exact fresh|lia].
    Qed.

    Lemma run_prelude_app pre1 pre2 : forall k ie s,
      run_prelude k (pre1 ++ pre2) ie s =
      run_prelude (k + length pre1) pre2 ie (run_prelude k pre1 ie s).
    Proof.
      induction pre1 as [|[d c] pre1 IH]; simpl; intros k ie s.
      - rewrite Nat.add_0_r. reflexivity.
      - rewrite IH. f_equal. lia.
    Qed.
  End EXEC.
End PRELUDES.
