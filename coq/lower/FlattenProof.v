(** Flattening is correct and keeps programs safe.

    [sim g s m]         memory m holds the store s, each cell at its address
    [flatten_correct]   flat commands do in memory what structured ones do in the store
    [flatten_touches]   a flat command touches addresses of cells the structured one touches
    [flatten_safe]      a safe command becomes a safe flat one, races included *)

From Coq Require Import Arith NArith Lia List Bool.
From Vouch Require Import lib.Size array.Syntax array.Semantics imp.Syntax imp.Semantics.
From Vouch Require Import imp.Footprint imp.Frame imp.Safety imp.Flat.
From Vouch Require Import lower.Flatten lower.OffsetProof lower.SafeSpec.
Import ListNotations.

Section FLATTEN.
  Context (sg : nat -> nat).

  Notation size_val := (size_val sg).
  Notation ty_val := (ty_val sg).
  Notation path_val := (path_val sg).
  Notation path_safe := (path_safe sg).

  (** Address a of variable v is the place of one of the given cells. *)
  Definition place_among (g : ty_env) (cells_ : path -> Prop) (v a : nat) : Prop :=
    exists q, cells_ q /\ inb (ty_val (g v)) q /\ a = place_of (ty_val (g v)) q.

  Section VIEWS.
    Context (g : ty_env) (ie : nat -> nat).

    Lemma pad_path_val lo i q : path_val ie (XIx (xsub i (XSize lo)) :: q) =
      Ix (ixe_val sg ie i - size_val lo) :: path_val ie q.
    Proof. simpl. rewrite xsub_val. reflexivity. Qed.

    Lemma flat_view_safe x : forall p,
      view_safe sg g ie x (path_val ie p) -> path_safe ie p ->
      fexp_safe sg (extent sg g) ie (flat_view g x p).
    Proof.
      induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|l x IHx|lo n c x IHx|c x1 IH1 x2 IH2];
        simpl; intros p safe p_safe.
      - apply offset_access_safe; assumption.
      - destruct safe as [inside safe]. rewrite <- acc_spath_val in inside.
        apply offset_access_safe; [exact inside|]. apply acc_spath_safe; assumption.
      - destruct c; try exact I. destruct p as [|[i| |] q]; try exact I. apply path_safe_cons in p_safe. apply p_safe.
      - assert (arg_safe : forall q, In (path_val ie q) (op_args o) -> path_safe ie q ->
                  fexp_safe sg (extent sg g) ie (flat_view g x q)) by auto.
        destruct o; simpl; repeat split; apply arg_safe; simpl; auto; repeat constructor.
      - destruct p as [|[i| |] q]; simpl in *; auto;
          apply path_safe_cons in p_safe as [_ q_safe]; auto.
      - destruct safe as [safe_l safe_x]. apply IHx.
        + rewrite lay_spath_val. exact safe_x.
        + apply lay_spath_safe; assumption.
      - destruct p as [|[i| |] q]; simpl; auto.
        apply path_safe_cons in p_safe as [i_safe q_safe].
        split; [apply pad_guard_safe, i_safe|]. rewrite pad_guard_val. simpl in safe.
        destruct ((size_val lo <=? ixe_val sg ie i) && _) eqn:inside; [|exact I].
        apply andb_true_iff in inside as [above _]. apply Nat.leb_le in above.
        apply IHx; [rewrite pad_path_val; exact safe|]. apply path_safe_cons.
        split; [|exact q_safe]. apply xsub_safe; simpl; auto.
      - destruct safe as [safe_c safe]. split; [exact safe_c|].
        destruct (guard_val sg ie c); auto.
    Qed.

    Lemma flat_view_reads x : forall p v a,
      view_safe sg g ie x (path_val ie p) -> fexp_reads sg ie (flat_view g x p) (v, a) ->
      place_among g (fun q => In (v, q) (view_reads sg ie x (path_val ie p))) v a.
    Proof.
      induction x as [w|b|c|o x IHx|x1 IH1 x2 IH2|l x IHx|lo n c x IHx|c x1 IH1 x2 IH2];
        simpl; intros p v a safe reads.
      - injection reads as v_w a_eq. exists (path_val ie p). rewrite v_w.
        repeat split; auto. rewrite a_eq. apply offset_val, safe.
      - destruct safe as [inside safe]. injection reads as v_w a_eq.
        exists (acc_path sg ie b (path_val ie p)). rewrite v_w. repeat split; auto.
        rewrite <- acc_spath_val in *. rewrite a_eq. apply offset_val, inside.
      - destruct c; try destruct reads. destruct p as [|[i| |] q]; destruct reads.
      - assert (arg : forall q, In (path_val ie q) (op_args o) ->
                  fexp_reads sg ie (flat_view g x q) (v, a) ->
                  place_among g (fun r => In (v, r) (flat_map (view_reads sg ie x) (op_args o)))
                    v a).
        { intros q q_arg q_reads. destruct (IHx q v a (safe _ q_arg) q_reads) as (r & r_in & rest).
          exists r. split; [|exact rest]. apply in_flat_map. eauto. }
        destruct o; simpl in reads.
        + apply (arg []); simpl; auto.
        + destruct reads as [reads|reads];
            [apply (arg [XLft]) | apply (arg [XRgt])]; simpl; auto.
        + destruct reads as [reads|[reads|reads]];
            [apply (arg [XLft]) | apply (arg [XRgt; XLft]) | apply (arg [XRgt; XRgt])];
            simpl; auto.
      - destruct p as [|[i| |] q]; simpl in *; try tauto; auto.
      - destruct safe as [_ safe]. rewrite <- lay_spath_val in *. apply IHx; assumption.
      - destruct p as [|[i| |] q]; simpl in *; try tauto. rewrite pad_guard_val in reads.
        destruct (_ && _); simpl in reads; [|tauto].
        rewrite <- (pad_path_val lo i q) in *. apply IHx; assumption.
      - destruct safe as [_ safe]. destruct (guard_val sg ie c); auto.
    Qed.

    Section VALUES.
      Context (K : scalars) (s : store K) (m : mem K).

      Definition sim : Prop :=
        forall v p, inb (ty_val (g v)) p -> m v (place_of (ty_val (g v)) p) = s v p.

      Context (SIM : sim).

      Lemma flat_read v p q : inb (ty_val (g v)) q -> path_val ie p = q ->
        m v (address sg ie (offset (g v) p)) = s v q.
      Proof using SIM.
        intros q_in p_q. rewrite <- p_q in *. rewrite offset_val by exact q_in.
        apply SIM, q_in.
      Qed.

      Lemma flat_view_val x : forall p, view_safe sg g ie x (path_val ie p) ->
        feval sg K ie m (flat_view g x p) = read sg K ie s x (path_val ie p).
      Proof using SIM.
        induction x as [v|a|c|o x IHx|x1 IH1 x2 IH2|l x IHx|lo n c x IHx|c x1 IH1 x2 IH2];
          simpl; intros p safe.
        - apply flat_read; auto.
        - apply flat_read; [apply safe | apply acc_spath_val].
        - destruct c; try reflexivity. destruct p as [|[i| |] q]; reflexivity.
        - assert (arg : forall q, In (path_val ie q) (op_args o) ->
                    feval sg K ie m (flat_view g x q) = read sg K ie s x (path_val ie q)) by auto.
          destruct o; simpl.
          + rewrite (arg []); simpl; auto.
          + rewrite (arg [XLft]), (arg [XRgt]); simpl; auto.
          + rewrite (arg [XLft]), (arg [XRgt; XLft]), (arg [XRgt; XRgt]); simpl; auto.
        - destruct p as [|[i| |] q]; simpl in *; auto.
        - destruct safe as [_ safe]. rewrite <- lay_spath_val in *. auto.
        - destruct p as [|[i| |] q]; simpl in *; auto. rewrite pad_guard_val.
          destruct (_ && _); [|reflexivity]. rewrite <- (pad_path_val lo i q) in *. auto.
        - destruct safe as [_ safe]. destruct (guard_val sg ie c); auto.
      Qed.
    End VALUES.
  End VIEWS.

  Lemma flatten_touches c : forall g ie v a, comm_safe sg g c ie ->
    (fcomm_writes sg (flatten g c) ie (v, a) ->
     place_among g (fun q => comm_writes sg c ie (v, q)) v a) /\
    (fcomm_reads sg (flatten g c) ie (v, a) ->
     place_among g (fun q => comm_reads sg c ie (v, q)) v a).
  Proof.
    induction c as [|c1 IH1 c2 IH2|b x|w d c IHc|k i n c IHc]; simpl; intros g ie v a safe.
    - tauto.
    - destruct safe as [safe1 safe2]. destruct (IH1 g ie v a safe1) as [writes1 reads1].
      destruct (IH2 g ie v a safe2) as [writes2 reads2]. split; intros [touch|touch].
      + destruct (writes1 touch) as (q & q_in & rest). exists q. auto.
      + destruct (writes2 touch) as (q & q_in & rest). exists q. auto.
      + destruct (reads1 touch) as (q & q_in & rest). exists q. auto.
      + destruct (reads2 touch) as (q & q_in & rest). exists q. auto.
    - destruct safe as [[inside _] safe]. split.
      + intros same. injection same as v_eq a_eq. exists (acc_path sg ie b []). rewrite v_eq.
        repeat split; auto. change (@nil step) with (path_val ie []) in *.
        rewrite <- acc_spath_val in *. rewrite a_eq. apply offset_val, inside.
      + apply (flat_view_reads g ie x []), safe.
    - destruct (IHc (set_ty g w d) ie v a safe) as [writes reads]. split; intros [touch other];
        simpl in other.
      + destruct (writes touch) as (q & q_in & rest). rewrite set_ty_other in rest by exact other.
        exists q. auto.
      + destruct (reads touch) as (q & q_in & rest). rewrite set_ty_other in rest by exact other.
        exists q. auto.
    - destruct safe as [safe _]. split; intros (j & j_lt & touch).
      + destruct (proj1 (IHc g _ v a (safe j j_lt)) touch) as (q & q_in & rest). exists q. eauto.
      + destruct (proj2 (IHc g _ v a (safe j j_lt)) touch) as (q & q_in & rest). exists q. eauto.
  Qed.

  (** Cells at the same address are the same cell. *)
  Lemma place_among_same g A B v a :
    place_among g A v a -> place_among g B v a -> exists q, A q /\ B q.
  Proof.
    intros (q & in_A & q_in & a_q) (r & in_B & r_in & a_r).
    rewrite a_q in a_r. apply place_inj in a_r; auto. rewrite <- a_r in in_B. eauto.
  Qed.

  Lemma access_safe_extent x1 x2 ie v i :
    (forall w, x1 w = x2 w) -> access_safe sg x1 ie v i -> access_safe sg x2 ie v i.
  Proof. intros same [below safe]. split; [rewrite <- same; exact below | exact safe]. Qed.

  Lemma fexp_safe_extent x1 x2 ie e :
    (forall w, x1 w = x2 w) -> fexp_safe sg x1 ie e -> fexp_safe sg x2 ie e.
  Proof.
    intros same.
    induction e as [v i|c|i|o e1 IH1|o e1 IH1 e2 IH2|o e1 IH1 e2 IH2 e3 IH3|g e1 IH1 e2 IH2];
      simpl; try tauto.
    - apply access_safe_extent, same.
    - intros [safe_g safe]. split; [exact safe_g|]. destruct (guard_val sg ie g); auto.
  Qed.

  Lemma extent_set g v d w :
    set_extent sg (extent sg g) v (extent_of d) w = extent sg (set_ty g v d) w.
  Proof.
    unfold set_extent, extent, set_ty. destruct (w =? v); [|reflexivity].
    destruct d; [reflexivity| |]; apply ty_size_val.
  Qed.

  Lemma flatten_safe c : forall g e ie,
    (forall w, extent sg g w = e w) -> comm_safe sg g c ie -> fcomm_safe sg e (flatten g c) ie.
  Proof.
    induction c as [|c1 IH1 c2 IH2|b x|w d c IHc|k i n c IHc]; simpl; intros g e ie same safe.
    - exact I.
    - destruct safe. auto.
    - destruct safe as [[inside acc_is_safe] safe]. split.
      + apply (access_safe_extent (extent sg g)); [exact same|].
        change (@nil step) with (path_val ie []) in inside, acc_is_safe.
        rewrite <- acc_spath_val in inside. apply offset_access_safe; [exact inside|].
        apply acc_spath_safe; [constructor | exact acc_is_safe].
      + apply (fexp_safe_extent (extent sg g)); [exact same|].
        apply (flat_view_safe g ie x []); [exact safe | constructor].
    - apply (IHc (set_ty g w d)); [|exact safe]. intros u. rewrite <- extent_set.
      unfold set_extent. destruct (u =? w); [reflexivity | apply same].
    - destruct safe as [safe disjoint]. split; [auto|].
      intros both j j1 [v a] j_lt j1_lt different writes.
      apply (proj1 (flatten_touches c g _ v a (safe j j_lt))) in writes.
      split; intros touch; apply (flatten_touches c g _ v a (safe j1 j1_lt)) in touch;
        destruct (place_among_same g _ _ v a writes touch) as (q & in_j & in_j1);
        destruct (disjoint both j j1 (v, q) j_lt j1_lt different in_j); tauto.
  Qed.

  Section EXEC.
    Context (K : scalars) (junk : nat -> nat -> num K).

    Definition typed_junk (v : nat) (d : ty) : value K :=
      fun p => junk v (place_of (ty_val d) p).

    Theorem flatten_correct c : forall g ie s m,
      comm_safe sg g c ie -> sim g K s m ->
      sim g K (exec sg K typed_junk c ie s) (fexec sg K junk (flatten g c) ie m).
    Proof.
      induction c as [|c1 IH1 c2 IH2|b x|w d c IHc|k i n c IHc]; simpl; intros g ie s m safe SIM.
      - exact SIM.
      - destruct safe. auto.
      - destruct safe as [[inside _] safe].
        rewrite (flat_view_val g ie K s m SIM x [] safe).
        assert (same : address sg ie (offset (g (root b)) (acc_spath b [])) =
                       place_of (ty_val (g (root b))) (acc_path sg ie b [])).
        { change (@nil step) with (path_val ie []) in *. rewrite <- acc_spath_val in *.
          apply offset_val, inside. }
        rewrite same. intros v p p_in. unfold poke, write.
        destruct (Nat.eqb_spec v (root b)) as [v_root|]; [|apply SIM, p_in].
        rewrite v_root in *.
        destruct (Nat.eqb_spec (place_of (ty_val (g (root b))) p)
                    (place_of (ty_val (g (root b))) (acc_path sg ie b []))) as [eq|ne];
          destruct (path_eq_dec p (acc_path sg ie b [])) as [eq1|ne1]; auto.
        + apply place_inj in eq; auto. congruence.
        + congruence.
      - intros v p p_in. destruct (Nat.eq_dec v w) as [v_w|v_w].
        + rewrite v_w, set_mem_same, set_var_same. rewrite <- v_w. apply SIM, p_in.
        + rewrite set_mem_other, set_var_other by exact v_w.
          assert (IH := IHc (set_ty g w d) ie (set_var K s w (typed_junk w d))
                          (set_mem K m w (junk w)) safe).
          specialize (IH ltac:(intros u q q_in; destruct (Nat.eq_dec u w) as [u_w|u_w];
            [rewrite u_w, set_mem_same, set_var_same, set_ty_same; reflexivity
            |rewrite set_mem_other, set_var_other by exact u_w;
             rewrite set_ty_other in * by exact u_w; apply SIM, q_in])).
          specialize (IH v p). rewrite set_ty_other in IH by exact v_w. apply IH, p_in.
      - destruct safe as [safe _].
        assert (LOOP : forall r, r <= size_val n ->
          sim g K (iterate r (fun j => exec sg K typed_junk c (bind ie i j)) s)
                  (iterate r (fun j => fexec sg K junk (flatten g c) (bind ie i j)) m)).
        { intros r. induction r as [|r IHr]; simpl; intros r_le; [exact SIM|].
          apply IHc; [apply safe; lia | apply IHr; lia]. }
        apply LOOP, le_n.
    Qed.
  End EXEC.
End FLATTEN.
