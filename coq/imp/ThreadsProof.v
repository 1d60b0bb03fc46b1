(** Without races, every interleaving has the effect of running in order.

    [within R W t]       thread t reads cells of R and writes cells of W only
    [behaves_within]     the threads of a command keep to its footprint
    [interleaved_run]    interleaving threads that do not touch each other's writes
    [race_free_run]      every behaviour of a safe command is its sequential meaning
    [behaves_exists]     and there is one *)

From Coq Require Import Arith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Safety imp.Flat imp.Threads.
Import ListNotations.

Lemma exists_below_dec n (Q : nat -> Prop) : (forall j, {Q j} + {~ Q j}) ->
  {exists j, j < n /\ Q j} + {~ exists j, j < n /\ Q j}.
Proof.
  intros Q_dec. induction n as [|n IHn].
  - right. intros (j & j_lt & _). lia.
  - destruct (Q_dec n) as [yes|no]; [left; exists n; auto|].
    destruct IHn as [yes|none].
    + left. destruct yes as (j & j_lt & yes). exists j. auto.
    + right. intros (j & j_lt & yes). destruct (Nat.eq_dec j n) as [j_n|j_n].
      * rewrite j_n in yes. exact (no yes).
      * apply none. exists j. split; [lia | exact yes].
Qed.

Lemma fcomm_writes_dec sg c : forall ie l,
  {fcomm_writes sg c ie l} + {~ fcomm_writes sg c ie l}.
Proof.
  induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; simpl; intros ie l.
  - right. tauto.
  - destruct (IH1 ie l), (IH2 ie l); tauto.
  - destruct l as [w a]. destruct (Nat.eq_dec w v) as [w_v|w_v].
    + destruct (Nat.eq_dec a (address sg ie i)) as [a_i|a_i].
      * left. congruence.
      * right. congruence.
    + right. congruence.
  - destruct (IHc ie l), (Nat.eq_dec (fst l) v); tauto.
  - apply exists_below_dec. auto.
  - apply exists_below_dec. auto.
Qed.

Section THREADS.
  Context (sg : nat -> nat) (K : scalars) (junk : nat -> nat -> num K).

  Notation size_val := (size_val sg).
  Notation address := (address sg).
  Notation tree := (tree K).
  Notation run := (run K).
  Notation behaves := (behaves sg K junk).
  Notation interleaved := (interleaved K).
  Notation fexec := (fexec sg K junk).
  Notation fcomm_writes := (fcomm_writes sg).
  Notation fcomm_reads := (fcomm_reads sg).

  Definition same_mem (m m1 : mem K) : Prop := forall v a, m v a = m1 v a.

  Lemma poke_same_mem m m1 v a x : same_mem m m1 -> same_mem (poke K m v a x) (poke K m1 v a x).
  Proof.
    intros same w b. unfold poke. destruct (w =? v); [|apply same].
    destruct (b =? a); [reflexivity | apply same].
  Qed.

  Lemma run_same_mem t : forall m m1, same_mem m m1 -> same_mem (run t m) (run t m1).
  Proof.
    induction t as [|l next IH|l x t IHt]; simpl; intros m m1 same.
    - exact same.
    - rewrite (same (fst l) (snd l)). apply IH, same.
    - apply IHt, poke_same_mem, same.
  Qed.

  Lemma feval_same_mem ie e m m1 : same_mem m m1 -> feval sg K ie m e = feval sg K ie m1 e.
  Proof.
    intros same.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2]; cbn [feval];
      rewrite ?IH1, ?IH2, ?IH3; auto.
  Qed.

  Lemma iterate_same_mem n (f g : nat -> mem K -> mem K) :
    (forall j, j < n -> forall m m1, same_mem m m1 -> same_mem (f j m) (g j m1)) ->
    forall m m1, same_mem m m1 -> same_mem (iterate n f m) (iterate n g m1).
  Proof. induction n as [|n IHn]; intros each m m1 same; [exact same|]. apply each; auto. Qed.

  Lemma fexec_same_mem c : forall ie m m1, same_mem m m1 -> same_mem (fexec c ie m) (fexec c ie m1).
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie m m1 same; cbn [fexec].
    - exact same.
    - auto.
    - rewrite (feval_same_mem ie e m m1 same). apply poke_same_mem, same.
    - intros w a. unfold set_mem. destruct (w =? v); [apply same|]. apply IHc. intros u b.
      destruct (u =? v); [reflexivity | apply same].
    - apply iterate_same_mem; auto.
    - apply iterate_same_mem; auto.
  Qed.

  Lemma run_followed t u : forall m, run (followed K t u) m = run u (run t m).
  Proof. induction t as [|l next IH|l x t IHt]; simpl; intros m; auto. Qed.

  Lemma run_evaluate ie e : forall next m,
    run (evaluate sg K ie e next) m = run (next (feval sg K ie m e)) m.
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; intros next m; auto.
    - rewrite IH1. reflexivity.
    - rewrite IH1, IH2. reflexivity.
    - rewrite IH1, IH2, IH3. reflexivity.
    - destruct (guard_val sg ie g); auto.
  Qed.

  Lemma run_hide v t : forall f m,
    same_mem (run (hide K v f t) m) (set_mem K (run t (set_mem K m v f)) v (m v)).
  Proof.
    induction t as [|l next IH|l x t IHt]; simpl; intros f m.
    - intros w a. unfold set_mem. destruct (Nat.eqb_spec w v) as [w_v|]; [|reflexivity].
      rewrite w_v. reflexivity.
    - change (set_mem K m v f (fst l) (snd l))
        with (if fst l =? v then f (snd l) else m (fst l) (snd l)).
      destruct (Nat.eqb_spec (fst l) v); simpl; apply IH.
    - destruct (Nat.eqb_spec (fst l) v) as [private|shared]; simpl.
      + intros w a. rewrite IHt. unfold set_mem at 1 3. destruct (w =? v); [reflexivity|].
        apply run_same_mem. intros u b. unfold poke, set_mem. rewrite private.
        destruct (u =? v); reflexivity.
      + intros w a. rewrite IHt. unfold set_mem at 1 3.
        destruct (Nat.eqb_spec w v) as [w_v|w_v].
        * unfold poke. destruct (Nat.eqb_spec v (fst l)); [congruence | reflexivity].
        * apply run_same_mem. intros u b. unfold poke, set_mem.
          destruct (Nat.eqb_spec u v) as [u_v|], (Nat.eqb_spec u (fst l)) as [u_l|]; auto.
          congruence.
  Qed.

  Fixpoint within (R W : cell -> Prop) (t : tree) : Prop :=
    match t with
    | Done _ => True
    | Get _ l next => R l /\ forall x, within R W (next x)
    | Put _ l _ next => W l /\ within R W next
    end.

  Lemma within_incr (R W R1 W1 : cell -> Prop) t :
    (forall l, R l -> R1 l) -> (forall l, W l -> W1 l) -> within R W t -> within R1 W1 t.
  Proof.
    intros R_R1 W_W1.
    induction t as [|l next IH|l x t IHt]; simpl; auto; intros [here later]; auto.
  Qed.

  Lemma within_followed (R W : cell -> Prop) t u : within R W t -> within R W u -> within R W (followed K t u).
  Proof.
    induction t as [|l next IH|l x t IHt]; simpl; auto; intros [here later] after; auto.
  Qed.

  Lemma within_evaluate (R W : cell -> Prop) ie e : forall next,
    (forall l, fexp_reads sg ie e l -> R l) -> (forall x, within R W (next x)) ->
    within R W (evaluate sg K ie e next).
  Proof.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; intros next reads rest; auto 6.
    - apply IH1; [auto|]. intros x. apply IH2; [auto|]. intros y. apply IH3; auto.
    - destruct (guard_val sg ie g); auto.
  Qed.

  Lemma within_hide (R W : cell -> Prop) v t : forall f, within R W t ->
    within (fun l => R l /\ fst l <> v) (fun l => W l /\ fst l <> v) (hide K v f t).
  Proof.
    induction t as [|l next IH|l x t IHt]; simpl; intros f inside; auto;
      destruct inside as [here later]; destruct (Nat.eqb_spec (fst l) v); simpl; auto.
  Qed.

  Lemma within_interleaved n ts t (R W : cell -> Prop) :
    interleaved n ts t -> (forall j, j < n -> within R W (ts j)) -> within R W t.
  Proof.
    intros INTER. induction INTER as [ts _|ts j l next next1 j_lt ts_j _ IH
      |ts j l x t u j_lt ts_j _ IH]; intros inside; simpl; auto;
      pose proof (inside j j_lt) as inside_j; rewrite ts_j in inside_j; simpl in inside_j.
    - split; [apply inside_j|]. intros x. apply IH. intros i i_lt. unfold put_thread.
      destruct (i =? j); [apply inside_j | auto].
    - split; [apply inside_j|]. apply IH. intros i i_lt. unfold put_thread.
      destruct (i =? j); [apply inside_j | auto].
  Qed.

  Lemma behaves_within c ie t : behaves c ie t -> within (fcomm_reads c ie) (fcomm_writes c ie) t.
  Proof.
    intros RUNS. induction RUNS as [ie|ie c1 c2 t1 t2 _ IH1 _ IH2|ie v i e|ie v n c t _ IH
      |ie k i n c ts _ _ IH|ie k i n c ts t _ _ IH INTER|ie i n lo hi c ts _ IH]; simpl.
    - exact I.
    - apply within_followed; [revert IH1|revert IH2]; apply within_incr; auto.
    - apply within_evaluate; simpl; auto.
    - apply within_hide, IH.
    - assert (ALL : forall m, m <= size_val n ->
        within (fun l => exists j, j < size_val n /\ fcomm_reads c (bind ie i j) l)
               (fun l => exists j, j < size_val n /\ fcomm_writes c (bind ie i j) l)
               (iterate m (fun j t => followed K t (ts j)) (Done K))).
      { intros m. induction m as [|m IHm]; simpl; intros m_le; [exact I|].
        apply within_followed; [apply IHm; lia|].
        apply (within_incr (fcomm_reads c (bind ie i m)) (fcomm_writes c (bind ie i m))).
        - eauto.
        - eauto.
        - apply IH. lia. }
      apply ALL, le_n.
    - apply (within_interleaved _ _ _ _ _ INTER). intros j j_lt.
      apply (within_incr (fcomm_reads c (bind ie i j)) (fcomm_writes c (bind ie i j))); eauto.
    - assert (ALL : forall m, m <= count_of sg ie n lo hi ->
        within (fun l => exists j, j < count_of sg ie n lo hi /\ fcomm_reads c (bind ie i (first_of sg ie lo + j)) l)
               (fun l => exists j, j < count_of sg ie n lo hi /\ fcomm_writes c (bind ie i (first_of sg ie lo + j)) l)
               (iterate m (fun j t => followed K t (ts j)) (Done K))).
      { intros m. induction m as [|m IHm]; simpl; intros m_le; [exact I|].
        apply within_followed; [apply IHm; lia|].
        apply (within_incr (fcomm_reads c (bind ie i (first_of sg ie lo + m)))
                 (fcomm_writes c (bind ie i (first_of sg ie lo + m)))).
        - eauto.
        - eauto.
        - apply IH. lia. }
      apply ALL, le_n.
  Qed.

  (** Memory m1 agrees with m on the cells that t touches. *)
  Lemma run_agree (R W : cell -> Prop) t : forall m m1, within R W t ->
    (forall l, R l \/ W l -> m (fst l) (snd l) = m1 (fst l) (snd l)) ->
    forall l, R l \/ W l -> run t m (fst l) (snd l) = run t m1 (fst l) (snd l).
  Proof.
    induction t as [|l next IH|l x t IHt]; simpl; intros m m1 inside agree l1 l1_in.
    - apply agree, l1_in.
    - destruct inside as [here later]. rewrite (agree l) by auto. apply IH; auto.
    - apply IHt; [apply inside | | exact l1_in]. intros l2 l2_in. unfold poke.
      destruct (fst l2 =? fst l); [|apply agree, l2_in].
      destruct (snd l2 =? snd l); [reflexivity | apply agree, l2_in].
  Qed.

  Lemma poke_elsewhere (m : mem K) l l1 x :
    l1 <> l -> poke K m (fst l) (snd l) x (fst l1) (snd l1) = m (fst l1) (snd l1).
  Proof.
    intros other. apply poke_other. destruct l, l1. simpl. congruence.
  Qed.

  (** Each cell ends up as the one thread that writes it leaves it. *)
  Lemma interleaved_run n ts t (R W : nat -> cell -> Prop) :
    interleaved n ts t -> (forall j, j < n -> within (R j) (W j) (ts j)) ->
    (forall i j l, i < n -> j < n -> i <> j -> W i l -> ~ R j l /\ ~ W j l) ->
    forall m l,
      (forall j, j < n -> W j l -> run t m (fst l) (snd l) = run (ts j) m (fst l) (snd l)) /\
      ((forall j, j < n -> ~ W j l) -> run t m (fst l) (snd l) = m (fst l) (snd l)).
  Proof.
    intros INTER. induction INTER as [ts done|ts j l next next1 j_lt ts_j _ IH
      |ts j l x t u j_lt ts_j _ IH]; intros inside apart m l1.
    - split; [|reflexivity]. intros j j_lt _. rewrite done by exact j_lt. reflexivity.
    - pose proof (inside j j_lt) as inside_j. rewrite ts_j in inside_j. simpl in inside_j.
      destruct (IH (m (fst l) (snd l))) with (m := m) (l := l1) as [written kept]; auto.
      { intros i i_lt. unfold put_thread. destruct (Nat.eqb_spec i j) as [i_j|]; [|auto].
        rewrite i_j. apply inside_j. }
      simpl. split; [|exact kept]. intros i i_lt i_writes. rewrite (written i i_lt i_writes).
      unfold put_thread. destruct (Nat.eqb_spec i j) as [i_j|]; [|reflexivity].
      rewrite i_j, ts_j. reflexivity.
    - pose proof (inside j j_lt) as inside_j. rewrite ts_j in inside_j. simpl in inside_j.
      destruct IH with (m := poke K m (fst l) (snd l) x) (l := l1) as [written kept]; auto.
      { intros i i_lt. unfold put_thread. destruct (Nat.eqb_spec i j) as [i_j|]; [|auto].
        rewrite i_j. apply inside_j. }
      simpl. split.
      + intros i i_lt i_writes. rewrite (written i i_lt i_writes). unfold put_thread.
        destruct (Nat.eqb_spec i j) as [i_j|i_j].
        { rewrite i_j, ts_j. reflexivity. }
        apply (run_agree (R i) (W i)); auto. intros l2 l2_in. apply poke_elsewhere.
        intros same. rewrite same in l2_in. destruct (apart j i l j_lt i_lt (not_eq_sym i_j) (proj1 inside_j)) as [no_r no_w].
        destruct l2_in; auto.
      + intros nobody. rewrite (kept nobody). apply poke_elsewhere. intros same.
        apply (nobody j j_lt). rewrite same. apply inside_j.
  Qed.

  (** The loop in order, seen cell by cell. *)
  Lemma in_order_run ie i n c ts m :
    (forall j, j < n -> within (fcomm_reads c (bind ie i j)) (fcomm_writes c (bind ie i j)) (ts j)) ->
    (forall j, j < n -> forall m1, same_mem (run (ts j) m1) (fexec c (bind ie i j) m1)) ->
    fdisjoint sg i n c ie ->
    forall r l, r <= n ->
      let after := iterate r (fun j => fexec c (bind ie i j)) m in
      (forall j, j < r -> fcomm_writes c (bind ie i j) l ->
         after (fst l) (snd l) = run (ts j) m (fst l) (snd l)) /\
      ((forall j, j < r -> ~ fcomm_writes c (bind ie i j) l) ->
         after (fst l) (snd l) = m (fst l) (snd l)).
  Proof.
    intros inside SAME apart. induction r as [|r IHr]; simpl; intros l r_le.
    - split; [lia | reflexivity].
    - split.
      + intros j j_lt writes. destruct (Nat.eq_dec j r) as [j_r|j_r].
        * rewrite j_r in *. rewrite <- SAME by lia.
          apply (run_agree (fcomm_reads c (bind ie i r)) (fcomm_writes c (bind ie i r)));
            auto. intros l1 l1_in. apply IHr; [lia|]. intros j1 j1_lt writes1.
          destruct (apart j1 r l1); auto; try lia. tauto.
        * rewrite fexec_frame; [apply IHr; auto; lia|]. destruct l as [v a].
          apply (apart j r (v, a)); auto; lia.
      + intros nobody. rewrite fexec_frame.
        * apply IHr; auto. lia.
        * destruct l as [v a]. apply nobody. lia.
  Qed.

  Theorem race_free_run c ie t : behaves c ie t -> forall extent,
    fcomm_safe sg extent c ie -> forall m, same_mem (run t m) (fexec c ie m).
  Proof.
    intros RUNS.
    induction RUNS as [ie|ie c1 c2 t1 t2 _ IH1 _ IH2|ie v i e0|ie v n c t _ IH
      |ie k i n c ts sequential _ IH|ie k i n c ts t both RUN IH INTER|ie i n lo hi c ts _ IH];
      intros e safe m; simpl in *.
    - intros v a. reflexivity.
    - destruct safe as [safe1 safe2]. intros v a. rewrite run_followed.
      rewrite (run_same_mem t2 _ (fexec c1 ie m)) by (apply (IH1 e); auto).
      apply (IH2 e); auto.
    - rewrite run_evaluate. intros w a. reflexivity.
    - intros w a. rewrite run_hide. unfold set_mem at 1 3.
      destruct (w =? v); [reflexivity|]. apply (IH _ safe).
    - destruct safe as [safe _].
      assert (ALL : forall r, r <= size_val n ->
        same_mem (run (iterate r (fun j t => followed K t (ts j)) (Done K)) m)
                 (iterate r (fun j => fexec c (bind ie i j)) m)).
      { intros r. induction r as [|r IHr]; simpl; intros r_le v a; [reflexivity|].
        rewrite run_followed, (run_same_mem (ts r) _ _ (IHr ltac:(lia))).
        apply (IH r r_le e); auto. }
      apply ALL, le_n.
    - destruct safe as [safe apart]. specialize (apart both).
      assert (inside : forall j, j < size_val n ->
        within (fcomm_reads c (bind ie i j)) (fcomm_writes c (bind ie i j)) (ts j))
        by (intros j j_lt; apply behaves_within, RUN, j_lt).
      assert (SAME : forall j, j < size_val n -> forall m1,
        same_mem (run (ts j) m1) (fexec c (bind ie i j) m1))
        by (intros j j_lt m1; apply (IH j j_lt e); auto).
      intros v a.
      destruct (interleaved_run _ _ _ _ _ INTER inside apart m (v, a)) as [written kept].
      destruct (in_order_run ie i _ c ts m inside SAME apart (size_val n) (v, a) (le_n _))
        as [written1 kept1]. simpl in *.
      destruct (exists_below_dec (size_val n) (fun j => fcomm_writes c (bind ie i j) (v, a)))
        as [somebody|nobody].
      + intros j. apply fcomm_writes_dec.
      + destruct somebody as (j & j_lt & writes).
        rewrite (written j j_lt writes), (written1 j j_lt writes). reflexivity.
      + rewrite kept, kept1; [reflexivity| |]; intros j j_lt writes; apply nobody; eauto.
    - destruct safe as (_ & _ & safe).
      assert (ALL : forall r, r <= count_of sg ie n lo hi ->
        same_mem (run (iterate r (fun j t => followed K t (ts j)) (Done K)) m)
                 (iterate r (fun j => fexec c (bind ie i (first_of sg ie lo + j))) m)).
      { intros r. induction r as [|r IHr]; simpl; intros r_le v a; [reflexivity|].
        rewrite run_followed, (run_same_mem (ts r) _ _ (IHr ltac:(lia))).
        apply (IH r r_le e); auto. }
      apply ALL, le_n.
  Qed.

  (** Threads one after the other are one way to interleave them. *)
  Lemma interleaved_in_order n js : NoDup js -> (forall j, In j js -> j < n) ->
    forall ts, (forall j, j < n -> ~ In j js -> ts j = Done K) ->
    interleaved n ts (fold_right (fun j t => followed K (ts j) t) (Done K) js).
  Proof.
    clear sg junk. induction js as [|j js IH]; intros distinct below ts others; simpl.
    - constructor. intros j j_lt. apply others; auto.
    - inversion distinct as [|j0 js0 j_new rest_distinct].
      assert (FIX : forall ks t, ~ In j ks -> forall us,
        fold_right (fun i u => followed K (put_thread K us j t i) u) (Done K) ks =
        fold_right (fun i u => followed K (us i) u) (Done K) ks).
      { clear. induction ks as [|k ks IHks]; simpl; intros t new us; [reflexivity|].
        rewrite IHks by tauto. unfold put_thread. destruct (Nat.eqb_spec k j); [tauto|].
        reflexivity. }
      assert (GO : forall t us, us j = t -> (forall i, i < n -> ~ In i (j :: js) -> us i = Done K) ->
        interleaved n us
          (followed K t (fold_right (fun i u => followed K (us i) u) (Done K) js))).
      { clear ts others. induction t as [|l next IHt|l x t IHt]; intros us us_j others; simpl.
        - apply IH; auto; [intros i i_in; apply below; right; exact i_in|].
          intros i i_lt i_new. destruct (Nat.eq_dec i j) as [i_j|i_j]; [congruence|].
          apply others; auto. simpl. intuition.
        - apply (OneGets K n us j l next); [apply below; left; reflexivity | exact us_j|].
          intros x. rewrite <- (FIX js (next x) j_new us). apply IHt.
          + unfold put_thread. rewrite Nat.eqb_refl. reflexivity.
          + intros i i_lt i_new. unfold put_thread.
            destruct (Nat.eqb_spec i j) as [i_j|]; [simpl in i_new; exfalso; apply i_new; auto|].
            apply others; auto.
        - apply (OnePuts K n us j l x t); [apply below; left; reflexivity | exact us_j|].
          rewrite <- (FIX js t j_new us). apply IHt.
          + unfold put_thread. rewrite Nat.eqb_refl. reflexivity.
          + intros i i_lt i_new. unfold put_thread.
            destruct (Nat.eqb_spec i j) as [i_j|]; [simpl in i_new; exfalso; apply i_new; auto|].
            apply others; auto. }
      apply GO; auto.
  Qed.

  Theorem behaves_exists c : forall ie, exists t, behaves c ie t.
  Proof.
    induction c as [|c1 IH1 c2 IH2|v i e|v n c IHc|k i n c IHc|i n lo hi c IHc]; intros ie.
    - eexists. constructor.
    - destruct (IH1 ie) as [t1 run1]. destruct (IH2 ie) as [t2 run2].
      eexists. constructor; eassumption.
    - eexists. constructor.
    - destruct (IHc ie) as [t runs]. eexists. constructor. eassumption.
    - assert (CHOOSE : forall m, exists ts, forall j, j < m -> behaves c (bind ie i j) (ts j)).
      { intros m. induction m as [|m [ts runs]]; [exists (fun _ => Done K); lia|].
        destruct (IHc (bind ie i m)) as [t run_m].
        exists (fun j => if j =? m then t else ts j). intros j j_lt.
        destruct (Nat.eqb_spec j m) as [j_m|j_m]; [rewrite j_m; exact run_m|].
        apply runs. lia. }
      destruct (CHOOSE (size_val n)) as [ts runs].
      destruct (concurrent k) eqn:both.
      + eexists. apply (RunPar sg K junk ie k i n c ts); [exact both | exact runs|].
        apply (interleaved_in_order _ (seq 0 (size_val n))).
        * apply seq_NoDup.
        * intros j j_in. apply in_seq in j_in. lia.
        * intros j j_lt absent. exfalso. apply absent, in_seq. lia.
      + eexists. apply (RunFor sg K junk ie k i n c ts both runs).
    - assert (CHOOSE : forall m, exists ts, forall j, j < m -> behaves c (bind ie i (first_of sg ie lo + j)) (ts j)).
      { intros m. induction m as [|m [ts runs]]; [exists (fun _ => Done K); lia|].
        destruct (IHc (bind ie i (first_of sg ie lo + m))) as [t run_m].
        exists (fun j => if j =? m then t else ts j). intros j j_lt.
        destruct (Nat.eqb_spec j m) as [j_m|j_m]; [rewrite j_m; exact run_m|].
        apply runs. lia. }
      destruct (CHOOSE (count_of sg ie n lo hi)) as [ts runs]. eexists. apply (RunWithin sg K junk ie i n lo hi c ts runs).
  Qed.
End THREADS.
