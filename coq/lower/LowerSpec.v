(** What it means for a lowered term to be correct.

    [env_fresh T]      the views of the environment hold the values, where tags T call them
                       fresh
    [view_correct]     after the temporaries of C are filled, its view holds the value
    [acc_correct T]    A fills its acceptor with the value, although views may touch the
                       acceptor's root as T says; with all tags cold this is plain correctness
    [view_fresh]       a correct view may be used among touched ones if it reads what is fresh
    The other lemmas carry environments from state to state. *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.Typing.
From Vouch Require Import imp.Syntax imp.Semantics imp.Footprint imp.Frame.
From Vouch Require Import lower.Align lower.Lower lower.Scope lower.WritesProof.
From Vouch Require Import lower.TagsProof lower.ViewTagsProof.
Import ListNotations.

Section SPEC.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> ty -> value K).

  Notation ty_val := (ty_val sg).
  Notation acc_path := (acc_path sg).
  Notation view_reads := (view_reads sg).
  Notation acc_inj := (acc_inj sg).
  Notation touches := (touches sg).
  Notation hot := (hot sg).
  Notation read := (read sg K).
  Notation exec := (exec sg K junk).
  Notation run_prelude := (run_prelude sg K junk).
  Notation eval := (eval sg K).

  Definition env_fresh (T : list tag) (ie : nat -> nat) (s : store K) (G : list sty)
      (rho : list view) (vals : list (value K)) : Prop :=
    forall x D, nth_error G x = Some D -> forall p,
      good (nth x T Cold) p = true -> inb D p ->
      read ie s (nth x rho (ICst zero)) p = nth x vals (zero_value K) p.

  Definition view_correct (X : list nat) (G : list sty) (C : view_fun) (e : exp) (D : sty)
      : Prop :=
    forall P k xi rho vals ie s,
      scoped P k xi rho -> in_bounds (map ie xi) X -> env_fresh [] ie s G rho vals ->
      forall p, inb D p ->
        read ie (run_prelude k (fst (C xi rho k)) ie s) (snd (C xi rho k)) p =
        eval (map ie xi) vals e p.

  Definition acc_correct (T : list tag) (X : list nat) (G : list sty) (A : acc_fun) (e : exp)
      (D : sty) : Prop :=
    forall d P k xi rho vals ie s a,
      ty_val d = D -> scoped P k xi rho -> in_bounds (map ie xi) X ->
      env_fresh T ie s G rho vals -> hot T ie G rho a D ->
      acc_below k a -> root a < k -> acc_inj ie a D ->
      forall p, inb D p ->
        exec (A d xi rho k a) ie s (root a) (acc_path ie a p) = eval (map ie xi) vals e p.

  (** Reading in another state. *)

  Lemma read_in P k ie ie1 (s s1 : store K) x p :
    view_in P k x -> (forall v q, P v -> s v q = s1 v q) ->
    (forall i, i < k -> ie i = ie1 i) -> read ie s x p = read ie1 s1 x p.
  Proof.
    intros [vars below] same_store same_loops.
    rewrite (read_below sg K k ie ie1 s x p same_loops below).
    apply read_agree. intros l reads. apply same_store, vars.
    exact (view_reads_occurs sg ie1 x p l reads).
  Qed.

  Lemma read_cold ie (s s1 : store K) a D0 D x p :
    touches Cold ie a D0 D x -> (forall v q, v <> root a -> s1 v q = s v q) -> inb D p ->
    read ie s1 x p = read ie s x p.
  Proof.
    intros [_ X] keep p_in. apply read_agree. intros l reads.
    apply keep. intros same_root. exact (X p l p_in reads same_root).
  Qed.

  Lemma env_fresh_cons T ie s G rho vals t x D v :
    (forall p, good t p = true -> inb D p -> read ie s x p = v p) ->
    env_fresh T ie s G rho vals ->
    env_fresh (cons_tag t T) ie s (D :: G) (x :: rho) (v :: vals).
  Proof.
    intros same FRESH y Dy found p. rewrite nth_cons_tag.
    destruct y as [|y]; simpl in *.
    - injection found as D_eq. rewrite <- D_eq. apply same.
    - exact (FRESH y Dy found p).
  Qed.

  Lemma env_fresh_agree P k xi T ie ie1 s s1 G rho vals :
    scoped P k xi rho -> (forall v q, P v -> s v q = s1 v q) ->
    (forall i, i < k -> ie i = ie1 i) ->
    env_fresh T ie s G rho vals -> env_fresh T ie1 s1 G rho vals.
  Proof.
    intros SC same_store same_loops FRESH x D found p is_good p_in.
    rewrite <- (FRESH x D found p is_good p_in). symmetry.
    apply (read_in P k); auto. exact (view_in_nth P k xi rho x SC).
  Qed.

  Lemma env_fresh_prelude P k xi T ie s G rho vals pre :
    scoped P k xi rho -> prelude_fresh sg k pre -> env_fresh T ie s G rho vals ->
    env_fresh T ie (run_prelude k pre ie s) G rho vals.
  Proof.
    intros SC fresh. apply (env_fresh_agree P k xi); auto. intros v q v_in.
    symmetry. apply run_prelude_frame; [exact fresh|].
    apply (scoped_vars _ _ _ _ SC) in v_in. lia.
  Qed.

  Lemma env_fresh_lowered T ie s G rho vals :
    env_fresh T ie s G rho vals -> env_fresh (map lowered T) ie s G rho vals.
  Proof.
    intros FRESH x D found p is_good. rewrite nth_lowered in is_good.
    apply (FRESH x D found p), lowered_good, is_good.
  Qed.

  (** What is fresh under lowered tags stays fresh whatever is written to the root. *)
  Lemma env_fresh_keep T ie s s1 G rho vals a D0 :
    hot T ie G rho a D0 -> (forall v q, v <> root a -> s1 v q = s v q) ->
    env_fresh (map lowered T) ie s G rho vals -> env_fresh (map lowered T) ie s1 G rho vals.
  Proof.
    intros HOT keep FRESH x D found p is_good p_in.
    rewrite <- (FRESH x D found p is_good p_in). apply read_agree. intros l reads.
    apply keep. intros same_root. destruct (HOT x D found) as [_ X].
    rewrite nth_lowered in is_good.
    exact (lowered_none _ _ _ _ is_good (X p l p_in reads same_root)).
  Qed.

  Lemma hot_lowered T ie G rho a b D0 D1 :
    root a = root b -> hot T ie G rho a D0 -> hot (map lowered T) ie G rho b D1.
  Proof.
    intros same_root HOT x D found. rewrite nth_lowered.
    apply (touches_lowered sg _ ie ie a b D0 D1 D (nth x rho (ICst zero)));
      [exact same_root | reflexivity | apply HOT, found].
  Qed.

  Lemma hot_bind P k xi T ie j G rho a D0 :
    scoped P k xi rho -> acc_below k a -> hot T ie G rho a D0 ->
    hot T (bind ie k j) G rho a D0.
  Proof.
    intros SC a_below HOT x D found. apply touches_bind; [|exact a_below|apply HOT, found].
    apply (view_in_nth P k xi rho x SC).
  Qed.

  Lemma hot_apart P k xi ie G rho a D0 :
    scoped P k xi rho -> ~ P (root a) -> hot [] ie G rho a D0.
  Proof.
    intros SC apart x D found. replace (nth x [] Cold) with Cold by (destruct x; reflexivity).
    apply touches_apart. intros o. apply apart.
    apply (proj1 (view_in_nth P k xi rho x SC)), o.
  Qed.

  (** A value list that follows the store where the environment is not fresh. *)
  Fixpoint mix (n : nat) (f : nat -> value K) (vals : list (value K)) : list (value K) :=
    match n with
    | 0 => vals
    | S m => f 0 :: mix m (fun x => f (S x)) (tl vals)
    end.

  Lemma nth_mix n : forall f vals x,
    nth x (mix n f vals) (zero_value K) = if x <? n then f x else nth x vals (zero_value K).
  Proof.
    induction n as [|n IHn]; simpl; intros f vals x; [reflexivity|].
    destruct x as [|x]; [reflexivity|]. rewrite IHn.
    change (S x <? S n) with (x <? n). destruct (x <? n); [reflexivity|].
    destruct vals as [|v vals]; [|reflexivity]. destruct x; reflexivity.
  Qed.

  Lemma view_fresh X G C e D T P k xi rho vals ie s :
    view_correct X G C e D -> reads_fresh T e = true ->
    scoped P k xi rho -> in_bounds (map ie xi) X -> env_fresh T ie s G rho vals ->
    forall p, inb D p ->
      read ie (run_prelude k (fst (C xi rho k)) ie s) (snd (C xi rho k)) p =
      eval (map ie xi) vals e p.
  Proof.
    intros CORRECT fresh SC bounds FRESH p p_in.
    set (f := fun x q => if good (nth x T Cold) q then nth x vals (zero_value K) q
                         else read ie s (nth x rho (ICst zero)) q).
    rewrite (CORRECT P k xi rho (mix (length G) f vals) ie s SC bounds); [| |exact p_in].
    - apply (eval_agree sg K e T); [exact fresh|]. intros x q is_good. rewrite nth_mix.
      destruct (x <? length G); [|reflexivity]. unfold f. rewrite is_good. reflexivity.
    - intros x Dx found q _ q_in. rewrite nth_mix.
      assert (x_lt : x < length G) by (apply nth_error_Some; congruence).
      apply Nat.ltb_lt in x_lt. rewrite x_lt. unfold f.
      destruct (good (nth x T Cold) q) eqn:is_good; [|reflexivity].
      exact (FRESH x Dx found q is_good q_in).
  Qed.

  (** Two views, one after the other. *)
  Lemma view_later C P k xi rho ie s s1 x p n :
    view_fun_ok sg C -> scoped P k xi rho -> view_in (ext P k n) (k + n) x ->
    s1 = run_prelude (k + n) (fst (C xi rho (k + n))) ie s ->
    read ie s1 x p = read ie s x p.
  Proof.
    intros C_ok SC x_in s1_eq. rewrite s1_eq.
    apply (read_in (ext P k n) (k + n)); auto. intros v q v_in.
    destruct (C_ok _ _ xi rho (scoped_ext P k n xi rho SC)) as [fresh _].
    apply run_prelude_frame; [exact fresh|].
    apply (ext_below P k n xi rho v SC) in v_in. lia.
  Qed.
End SPEC.
