(** The functional program of a kernel in index notation computes that kernel.

    [lower_term_ok]    an index term is the difference of its two natural numbers
    [subscript_ok]     a subscript wraps around its axis
    [lower_correct]    the program's value is the kernel's, at every element of the output
    [ComputesIndex]    what a certificate says of a kernel in index notation *)

From Coq Require Import Arith ZArith NArith List Bool Lia.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Print certify.Canonical certify.Parse.
From Vouch Require Import certify.Certificate.
From Vouch Require Import index.Kernel index.Lower.
Import ListNotations.

Definition below (iv : list nat) (X : list N) : Prop :=
  Forall2 (fun i n => i < N.to_nat n) iv X.

(** Index terms that lowering makes: sizes are constants, divisors positive ones. *)
Fixpoint plain (e : ixe) : Prop :=
  match e with
  | XVar _ => True
  | XSize s => exists n, s = SConst n
  | XAdd a b | XSub a b | XMul a b => plain a /\ plain b
  | XDiv a b | XMod a b => plain a /\ exists m, b = number (Zpos m)
  end.

Section TERMS.
  Context (sg : nat -> nat) (iv : list nat) (X : list N).
  Context (BELOW : below iv X).

  Definition val (e : ixe) : Z := Z.of_nat (ixe_val sg (index_env iv) e).

  Lemma val_nonneg e : (0 <= val e)%Z.
  Proof using. unfold val. lia. Qed.

  Lemma val_number z : (0 <= z)%Z -> val (number z) = z.
  Proof using. intros z_pos. unfold val, number. cbn. lia. Qed.

  Lemma number_plain z : plain (number z).
  Proof using. exists (Z.to_N z). reflexivity. Qed.

  Lemma is_zero_val e : is_zero e = true -> val e = 0%Z.
  Proof using.
    destruct e as [|s| | | | |]; try discriminate. destruct s as [|n| |]; try discriminate.
    destruct n; [reflexivity | discriminate].
  Qed.

  Lemma val_add a b : val (xadd a b) = (val a + val b)%Z.
  Proof using.
    unfold xadd. destruct (is_zero a) eqn:za.
    - rewrite (is_zero_val a za). reflexivity.
    - destruct (is_zero b) eqn:zb.
      + rewrite (is_zero_val b zb). lia.
      + unfold val. cbn. lia.
  Qed.

  Lemma xadd_plain a b : plain a -> plain b -> plain (xadd a b).
  Proof using.
    intros pa pb. unfold xadd. destruct (is_zero a); [exact pb|].
    destruct (is_zero b); [exact pa | split; assumption].
  Qed.

  Lemma val_times c a : (0 <= c)%Z -> val (xtimes c a) = (c * val a)%Z.
  Proof using.
    intros c_pos. unfold xtimes. destruct (is_zero a) eqn:za; cbn [orb].
    - rewrite (is_zero_val a za), val_number; lia.
    - destruct (Z.eqb_spec c 0) as [c0|c_not_0].
      + subst c. rewrite val_number; lia.
      + destruct (Z.eqb_spec c 1) as [c1|c_not_1].
        * subst c. lia.
        * assert (number_c := val_number c c_pos). unfold val in *. cbn in *. lia.
  Qed.

  Lemma xtimes_plain c a : plain a -> plain (xtimes c a).
  Proof using.
    intros pa. unfold xtimes. destruct (is_zero a || (c =? 0)%Z); [apply number_plain|].
    destruct (c =? 1)%Z; [exact pa | split; [apply number_plain | exact pa]].
  Qed.

  Lemma val_upper e : plain e -> (val e <= upper X e)%Z.
  Proof using BELOW.
    induction e as [i|s|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb];
      intros pe.
    - unfold val. cbn. unfold index_env. clear pe. revert i.
      induction BELOW as [|j n jv Y j_lt REST IH]; intros [|i]; cbn; try lia.
      apply (IH REST).
    - destruct pe as [n s_is]. subst s. unfold val. cbn. lia.
    - destruct pe as [pa pb]. specialize (IHa pa). specialize (IHb pb).
      unfold val in *. cbn. lia.
    - destruct pe as [pa pb]. specialize (IHa pa). unfold val in *. cbn. lia.
    - destruct pe as [pa pb]. specialize (IHa pa). specialize (IHb pb).
      unfold val in *. cbn. rewrite Nat2Z.inj_mul. apply Z.mul_le_mono_nonneg; lia.
    - destruct pe as [pa [m b_is]]. specialize (IHa pa). unfold val in *.
      cbn [ixe_val upper].
      set (x := ixe_val sg (index_env iv) a) in *. set (y := ixe_val sg (index_env iv) b).
      assert (x / y <= x)%nat.
      { destruct y as [|y]; [cbn; lia|]. apply Nat.div_le_upper_bound; nia. }
      lia.
    - destruct pe as [pa [m b_is]]. subst b.
      assert (m_val := val_number (Zpos m) (Pos2Z.is_nonneg m)).
      assert (m_upper : upper X (number (Zpos m)) = Zpos m) by reflexivity.
      unfold val in *. cbn [ixe_val upper]. rewrite m_upper.
      set (x := ixe_val sg (index_env iv) a) in *.
      set (y := ixe_val sg (index_env iv) (number (Zpos m))) in *.
      assert (x mod y < y)%nat by (apply Nat.mod_upper_bound; lia).
      lia.
  Qed.

  Lemma raised_ok p q m : (0 < m)%Z -> plain p -> plain q ->
    (val (fst (raised X p q m)) = val p - val q + m * snd (raised X p q m))%Z /\
    (0 <= snd (raised X p q m))%Z /\ plain (fst (raised X p q m)).
  Proof using BELOW.
    intros m_pos pp pq. unfold raised. destruct (is_zero q) eqn:zq; cbn [fst snd].
    - rewrite (is_zero_val q zq). split; [lia|]. split; [lia | exact pp].
    - assert (q_le := val_upper q pq). assert (q_pos := val_nonneg q).
      set (u := upper X q) in *. set (turns := ((u + m - 1) / m)%Z).
      assert (turns_pos : (0 <= turns)%Z) by (apply Z.div_pos; lia).
      assert (enough : (u <= m * turns)%Z).
      { pose proof (Z.div_mod (u + m - 1) m ltac:(lia)) as split_u.
        pose proof (Z.mod_pos_bound (u + m - 1) m m_pos) as rest. fold turns in split_u. lia. }
      assert (sum := val_add p (number (m * turns))). rewrite val_number in sum by nia.
      split; [|split; [exact turns_pos|]].
      + assert (p_pos := val_nonneg p). unfold val in *. cbn [ixe_val] in *. lia.
      + split; [|exact pq]. apply xadd_plain; [exact pp | apply number_plain].
  Qed.

  Lemma val_div r m : val (XDiv r (number (Zpos m))) = (val r / Zpos m)%Z.
  Proof using.
    assert (m_val := val_number (Zpos m) (Pos2Z.is_nonneg m)). unfold val in *.
    cbn [ixe_val]. rewrite Nat2Z.inj_div, m_val. reflexivity.
  Qed.

  Lemma val_mod r m : val (XMod r (number (Zpos m))) = (val r mod Zpos m)%Z.
  Proof using.
    assert (m_val := val_number (Zpos m) (Pos2Z.is_nonneg m)). unfold val in *.
    cbn [ixe_val]. rewrite Nat2Z.inj_mod, m_val. reflexivity.
  Qed.

  Lemma lower_term_ok t :
    let (p, q) := lower_term X t in
    iterm_val iv t = (val p - val q)%Z /\ plain p /\ plain q.
  Proof using BELOW.
    induction t as [i|z|a IHa b IHb|c a IHa|a IHa m|a IHa m]; cbn [lower_term iterm_val].
    - split; [|split; [exact I | apply number_plain]].
      rewrite val_number by lia. unfold val. cbn. unfold index_env. lia.
    - destruct (Z.leb_spec 0 z) as [z_pos|z_neg].
      + repeat rewrite val_number by lia.
        split; [lia | split; apply number_plain].
      + repeat rewrite val_number by lia.
        split; [lia | split; apply number_plain].
    - destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct IHa as (va & pa & qa), IHb as (vb & pb & qb).
      rewrite !val_add. split; [lia|]. split; apply xadd_plain; assumption.
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      destruct (Z.leb_spec 0 c) as [c_pos|c_neg].
      + rewrite !val_times by lia. split; [rewrite va; ring|].
        split; apply xtimes_plain; assumption.
      + rewrite !val_times by lia. split; [rewrite va; ring|].
        split; apply xtimes_plain; assumption.
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      pose proof (raised_ok p q (Zpos m) (Pos2Z.is_pos m) pp pq) as R.
      destruct (raised X p q (Zpos m)) as [r turns]. cbn [fst snd] in R.
      destruct R as (vr & turns_pos & pr).
      rewrite val_div, val_number by exact turns_pos. split.
      + rewrite vr, va, Z.mul_comm, Z.div_add by lia. lia.
      + split; [split; [exact pr | exists m; reflexivity] | apply number_plain].
    - destruct (lower_term X a) as [p q]. destruct IHa as (va & pp & pq).
      pose proof (raised_ok p q (Zpos m) (Pos2Z.is_pos m) pp pq) as (vr & turns_pos & pr).
      rewrite val_mod, val_number by lia. split.
      + rewrite vr, va, Z.mul_comm, Z_mod_plus_full. lia.
      + split; [split; [exact pr | exists m; reflexivity] | apply number_plain].
  Qed.

  Lemma subscript_ok t n :
    ixe_val sg (index_env iv) (subscript X t n) = wrap (iterm_val iv t) n.
  Proof using BELOW.
    unfold subscript. pose proof (lower_term_ok t) as T.
    destruct (lower_term X t) as [p q]. destruct T as (vt & pp & pq). rewrite vt.
    assert (goal_of_val : forall e, val e = ((val p - val q) mod Zpos n)%Z ->
              ixe_val sg (index_env iv) e = wrap (val p - val q) n).
    { intros e e_is. unfold wrap. rewrite <- e_is. unfold val. rewrite Nat2Z.id. reflexivity. }
    apply goal_of_val. destruct (is_zero q && (upper X p <? Zpos n)%Z) eqn:inside.
    - apply andb_true_iff in inside as [zq small]. apply Z.ltb_lt in small.
      rewrite (is_zero_val q zq). assert (p_le := val_upper p pp).
      assert (p_pos := val_nonneg p). rewrite Z.mod_small; lia.
    - pose proof (raised_ok p q (Zpos n) (Pos2Z.is_pos n) pp pq) as (vr & turns_pos & pr).
      rewrite val_mod, vr, Z.mul_comm, Z_mod_plus_full. reflexivity.
  Qed.

  Lemma lower_cond_ok c : guard_val sg (index_env iv) (lower_cond X c) = icond_val iv c.
  Proof using BELOW.
    induction c as [|a b|a b|c IHc d IHd|c IHc d IHd|c IHc]; cbn [lower_cond icond_val].
    - reflexivity.
    - pose proof (lower_term_ok a) as A. pose proof (lower_term_ok b) as B.
      destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct A as (va & _ & _), B as (vb & _ & _). rewrite va, vb.
      assert (left := val_add p1 q2). assert (right := val_add (xadd p2 q1) (number 1)).
      assert (inner := val_add p2 q1). assert (one_val := val_number 1 ltac:(lia)).
      cbn [guard_val]. unfold val in *.
      destruct (Nat.ltb_spec (ixe_val sg (index_env iv) (xadd p1 q2))
                  (ixe_val sg (index_env iv) (xadd (xadd p2 q1) (number 1)))) as [lt|ge];
        symmetry; [apply Z.leb_le | apply Z.leb_gt]; lia.
    - pose proof (lower_term_ok a) as A. pose proof (lower_term_ok b) as B.
      destruct (lower_term X a) as [p1 q1], (lower_term X b) as [p2 q2].
      destruct A as (va & _ & _), B as (vb & _ & _). rewrite va, vb.
      assert (left := val_add p1 q2). assert (right := val_add p2 q1).
      cbn [guard_val]. unfold val in *.
      destruct (Nat.eqb_spec (ixe_val sg (index_env iv) (xadd p1 q2))
                  (ixe_val sg (index_env iv) (xadd p2 q1))) as [same|other];
        symmetry; [apply Z.eqb_eq | apply Z.eqb_neq]; lia.
    - cbn [guard_val]. rewrite IHc, IHd. reflexivity.
    - cbn [guard_val]. rewrite IHc, IHd. reflexivity.
    - cbn [guard_val]. rewrite IHc. reflexivity.
  Qed.
End TERMS.

Section VALUES.
  Context (sg : nat -> nat) (K : scalars).

  (** Where shapes are known, values and tensors agree within them; elsewhere everywhere. *)
  Definition agree (shapes : list (list N)) (vs : list (value K)) (ts : list (tensor K)) : Prop :=
    forall t indices,
      match nth_error shapes t with Some e => below indices e | None => True end ->
      nth t vs (zero_value K) (map Ix indices) = read K ts t indices.

  Notation eval := (eval sg K).

  Section BODY.
    Context (iv : list nat) (X : list N) (BELOW : below iv X).
    Context (shapes : list (list N)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).
    Context (pre : list (value K)).

    Lemma wraps_below (s : list (iterm * positive)) :
      below (map (fun p => wrap (iterm_val iv (fst p)) (snd p)) s)
        (map (fun p => Npos (snd p)) s).
    Proof using.
      induction s as [|[t n] s IHs]; cbn; constructor; [|exact IHs].
      unfold wrap. cbn. pose proof (Z.mod_pos_bound (iterm_val iv t) (Zpos n) (Pos2Z.is_pos n)).
      lia.
    Qed.

    Lemma reads_through (s : list (iterm * positive)) e q :
      eval iv (pre ++ vs)
        (fold_left (fun e p => ELay (LAt (subscript X (fst p) (snd p))) e) s e) q =
      eval iv (pre ++ vs) e
        (map Ix (map (fun p => wrap (iterm_val iv (fst p)) (snd p)) s) ++ q).
    Proof using BELOW.
      revert e q. induction s as [|[t n] s IHs]; intros e q; [reflexivity|].
      cbn [fold_left map app fst snd]. rewrite IHs. cbn [Semantics.eval lay_path].
      rewrite (subscript_ok sg iv X BELOW). reflexivity.
    Qed.

    Lemma lower_body_ok b : body_reads_ok shapes b = true ->
      eval iv (pre ++ vs) (lower_body X (length pre) b) [] = body_val K iv ts b.
    Proof using BELOW AGREE.
      induction b as [c|t s|o a IHa|o a IHa c IHc|o a IHa c IHc d IHd|g a IHa c IHc];
        cbn [body_reads_ok lower_body body_val]; intros ok.
      - reflexivity.
      - rewrite reads_through, app_nil_r. cbn [Semantics.eval].
        rewrite app_nth2_plus. apply AGREE.
        destruct (nth_error shapes t) as [e|]; [|exact I].
        unfold same_extents in ok. destruct (list_eq_dec N.eq_dec _ e) as [e_is|]; [|discriminate].
        rewrite <- e_is. apply wraps_below.
      - cbn [EUn Semantics.eval apply_op]. rewrite IHa by exact ok. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c].
        cbn [EBin Semantics.eval apply_op]. rewrite IHa, IHc by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok ok_d]. apply andb_true_iff in ok as [ok_a ok_c].
        cbn [ETer Semantics.eval apply_op]. rewrite IHa, IHc, IHd by assumption. reflexivity.
      - apply andb_true_iff in ok as [ok_a ok_c]. cbn [Semantics.eval].
        rewrite (lower_cond_ok sg iv X BELOW), IHa, IHc by assumption. reflexivity.
    Qed.
  End BODY.

  Lemma iterate_at_root n (F : nat -> value K -> value K) (G : nat -> num K -> num K) v a :
    (forall j, j < n -> forall w b, w [] = b -> F j w [] = G j b) ->
    v [] = a -> iterate n F v [] = iterate n G a.
  Proof using.
    intros STEP START. induction n as [|n IHn]; [exact START|].
    cbn [iterate]. apply STEP; [lia|]. apply IHn. intros j j_lt. apply STEP. lia.
  Qed.

  Section STATEMENT.
    Context (shapes : list (list N)) (vs : list (value K)) (ts : list (tensor K)).
    Context (AGREE : agree shapes vs ts).

    Lemma lower_step_ok iv X pre c b elem acc :
      below iv X -> body_reads_ok shapes b = true ->
      eval iv (elem :: acc :: pre ++ vs) (lower_step X (length pre + 2) c b) [] =
      (if icond_val iv c then op2 K Add (acc []) (body_val K iv ts b) else acc []).
    Proof using AGREE.
      intros BELOW ok.
      assert (MORE : eval iv (elem :: acc :: pre ++ vs)
                (EBin Add (EVar 1) (lower_body X (length pre + 2) b)) [] =
              op2 K Add (acc []) (body_val K iv ts b)).
      { cbn [EBin Semantics.eval apply_op nth].
        rewrite <- (lower_body_ok iv X BELOW shapes vs ts AGREE (elem :: acc :: pre) b ok).
        cbn [length app]. rewrite Nat.add_comm. reflexivity. }
      unfold lower_step. destruct c; [exact MORE | ..].
      all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), MORE; reflexivity.
    Qed.

    Lemma lower_fold_ok loops c b : body_reads_ok shapes b = true -> loops <> [] ->
      forall iv X pre start, below iv X ->
      eval iv (pre ++ vs) (lower_fold X (length pre) loops c b start) [] =
      fold_val K loops c b iv ts (eval iv (pre ++ vs) start []).
    Proof using AGREE.
      intros ok. induction loops as [|n inner IH]; [congruence|].
      intros _ iv X pre start BELOW. cbn [lower_fold Semantics.eval fold_val size_val].
      apply iterate_at_root; [|reflexivity]. intros j j_lt w a w_is. subst a.
      assert (BELOW_j : below (j :: iv) (n :: X)) by (constructor; assumption).
      set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix j :: r)).
      destruct inner as [|m inner].
      - apply lower_step_ok; assumption.
      - rewrite Nat.add_comm.
        apply (IH ltac:(discriminate) (j :: iv) (n :: X) (elem :: w :: pre) (EVar 1) BELOW_j).
    Qed.

    Lemma lower_summand_ok s iv X pre :
      body_reads_ok shapes (su_body s) = true -> below iv X ->
      eval iv (pre ++ vs) (lower_summand X (length pre) s) [] = summand_val K iv ts s.
    Proof using AGREE.
      intros ok BELOW. unfold lower_summand, summand_val.
      destruct (su_loops s) as [|n inner].
      - pose proof (lower_body_ok iv X BELOW shapes vs ts AGREE pre (su_body s) ok) as BODY.
        destruct (su_cond s) eqn:c_is; [exact BODY | ..].
        all: cbn [Semantics.eval]; rewrite (lower_cond_ok sg iv X BELOW), BODY; reflexivity.
      - apply (lower_fold_ok (n :: inner)); [exact ok | discriminate | exact BELOW].
    Qed.

    Lemma lower_element_ok l iv X pre :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true -> below iv X ->
      eval iv (pre ++ vs) (lower_element X (length pre) l) [] = element_val K iv ts l.
    Proof using AGREE.
      intros ok BELOW. destruct l as [|s more]; [reflexivity|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_s ok].
      unfold lower_element, element_val.
      assert (START := lower_summand_ok s iv X pre ok_s BELOW).
      revert START ok.
      generalize (lower_summand X (length pre) s) as e, (summand_val K iv ts s) as a.
      induction more as [|r more IH]; intros e a START ok; [exact START|].
      cbn [forallb] in ok. apply andb_true_iff in ok as [ok_r ok].
      cbn [fold_left]. apply IH; [|exact ok].
      cbn [EBin Semantics.eval apply_op].
      rewrite START, (lower_summand_ok r iv X pre ok_r BELOW). reflexivity.
    Qed.

    Lemma lower_axes_ok l extents :
      forallb (fun r => body_reads_ok shapes (su_body r)) l = true ->
      forall k iv X pre indices, below iv X -> below indices extents ->
      eval iv (pre ++ vs) (lower_axes k X (length pre) extents l) (map Ix indices) =
      element_val K (rev indices ++ iv) ts l.
    Proof using AGREE.
      intros ok. induction extents as [|n more IH]; intros k iv X pre indices BELOW INSIDE.
      - inversion INSIDE. subst indices. apply lower_element_ok; assumption.
      - inversion INSIDE as [|i m rest more_is i_lt REST]. subst.
        cbn [lower_axes map Semantics.eval rev].
        set (elem := fun r => eval iv (pre ++ vs) (zeros n) (Ix i :: r)).
        rewrite <- app_assoc. cbn [app].
        apply (IH Seq (i :: iv) (n :: X) (elem :: pre) rest);
          [constructor; assumption | exact REST].
    Qed.

    Lemma lower_statement_ok s indices :
      statement_reads_ok shapes s = true -> below indices (st_extents s) ->
      eval [] vs (lower_statement s) (map Ix indices) = statement_val K ts s indices.
    Proof using AGREE.
      intros ok INSIDE. unfold lower_statement, statement_val.
      pose proof (lower_axes_ok (st_summands s) (st_extents s) ok Par [] [] [] indices
                    ltac:(constructor) INSIDE) as AXES.
      rewrite app_nil_r in AXES. exact AXES.
    Qed.
  End STATEMENT.

  Lemma lower_locals_ok l last : forall shapes vs ts indices,
    agree shapes vs ts -> locals_reads_ok shapes l last = true ->
    below indices (st_extents last) ->
    eval [] vs (lower_locals l last) (map Ix indices) =
    statement_val K (locals_val K ts l) last indices.
  Proof using.
    induction l as [|s more IH]; intros shapes vs ts indices AGREE ok INSIDE.
    - apply (lower_statement_ok shapes); assumption.
    - cbn [locals_reads_ok] in ok. apply andb_true_iff in ok as [ok_s ok].
      cbn [lower_locals Semantics.eval locals_val].
      apply (IH (st_extents s :: shapes)); [|exact ok | exact INSIDE].
      intros [|t] at_t; cbn [nth_error nth]; unfold read; cbn [nth].
      + intros at_below. apply (lower_statement_ok shapes); assumption.
      + apply AGREE.
  Qed.

  (** An input as a tensor. *)
  Definition tensor_of (v : value K) : tensor K := fun indices => v (map Ix indices).

  Lemma agree_inputs vs : agree [] vs (map tensor_of vs).
  Proof using.
    intros t indices _. unfold read. revert t.
    induction vs as [|v vs IH]; intros [|t]; cbn; try reflexivity. apply IH.
  Qed.

  Theorem lower_correct k vs indices :
    reads_ok k = true -> below indices (st_extents (ik_output k)) ->
    eval [] vs (lower k) (map Ix indices) = ikernel_val K (map tensor_of vs) k indices.
  Proof using.
    intros ok INSIDE. apply (lower_locals_ok _ _ [] _ _ _ (agree_inputs vs) ok INSIDE).
  Qed.
End VALUES.

(** The functional program [k] has the kernel's inputs and output, and its value at every
    element is the kernel's. With [Certified k text] the C text computes the kernel. *)
Definition ComputesIndex (ik : ikernel) (k : source) : Prop :=
  kernel_inputs k = ik_inputs ik /\
  kernel_output k = array_ty (st_extents (ik_output ik)) /\
  forall sg K m indices, below indices (st_extents (ik_output ik)) ->
    kernel_value sg K k m (map Ix indices) =
    ikernel_val K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.

Definition lowers_to (ik : ikernel) (k : source) : Prop :=
  (kernel_inputs k, kernel_output k, kernel_term k, reads_ok ik) =
  (ik_inputs ik, array_ty (st_extents (ik_output ik)), lower ik, true).

Theorem lowers_to_sound ik k : lowers_to ik k -> ComputesIndex ik k.
Proof.
  intros same. unfold lowers_to in same. inversion same as [[inputs output term ok]].
  split; [exact inputs|]. split; [exact output|].
  intros sg K m indices INSIDE. unfold kernel_value. rewrite term, inputs.
  apply lower_correct; assumption.
Qed.

(** All together: under every interleaving, the text leaves the kernel's elements in the output. *)
Theorem certified_index ik k text : Certified k text -> ComputesIndex ik k ->
  exists f, parse text = Some f /\
  forall sg, facts_hold sg (kernel_facts k) ->
  let D := ty_val sg (kernel_output k) in
  forall K junk ie m t, behaves sg K junk (file_body f) ie t ->
  forall indices, below indices (st_extents (ik_output ik)) -> inb D (map Ix indices) ->
  run K t m (List.length (kernel_inputs k)) (place_of D (map Ix indices)) =
  ikernel_val K (map (tensor_of K) (input_values sg K (kernel_inputs k) m)) ik indices.
Proof.
  intros [(_ & parsed & COMPUTES) _] (_ & _ & VALUE). exists (file_of k).
  split; [exact parsed|]. intros sg FACTS D K junk ie m t RUNS indices INSIDE inside.
  destruct (COMPUTES sg FACTS K junk ie m t RUNS) as (result & _).
  etransitivity; [exact (result _ inside) | apply VALUE, INSIDE].
Qed.
