(** Over the real numbers the tangent is the derivative, where every operation has one.

    [regular still]       at the values that a body meets no operation has a corner or a pole, and what
                          choices are made by, or elements are found by, does not change; [still]: the
                          body does not change itself
    [regular_locals]      where the elements of each tensor are regular, locals by what they read
    [kernel_derivative]   of the output, [locals_derivative] of the locals
    [gradient_derivative] what a checked gradient is, over the real numbers *)

From Coq Require Import Reals ZArith List Bool Lia Lra.
From Vouch Require Import lib.Size array.Syntax array.Semantics array.RealNumbers index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Rings adjoint.Slopes adjoint.Tangent adjoint.Substitute.
From Vouch Require Import adjoint.Change adjoint.Tensors adjoint.Adjoint adjoint.UsesProof adjoint.Duals adjoint.AdjointProof.
From Vouch Require Import adjoint.Composed adjoint.Reals adjoint.SlopesProof.
Import ListNotations.
Local Open Scope R_scope.

Section DERIVATIVE.
  Context (erf : R -> R) (sg : nat -> nat).
  Notation K := (reals erf).

  (** [oks]: which elements of each tensor may be read, as such that move or as such that are still. *)
  Fixpoint regular (still : bool) (w : list nat) (ts : list (tensor K)) (oks : list (bool -> list nat -> Prop))
      (b : ibody) : Prop :=
    let value := body_val sg K w ts in
    match b with
    | BCon _ | BIndex _ => True
    | BRead t s => all_inside sg w s = true -> nth t oks (fun _ _ => True) still (place sg w s)
    | BGather x n t s r =>
        regular true w ts oks x /\
        forall k, (k < size_val sg n)%nat -> value x = position K k ->
        (all_inside sg w s && all_inside sg w r)%bool = true ->
        nth t oks (fun _ _ => True) still (places sg w s ++ k :: places sg w r)
    | BOp1 o a => regular still w ts oks a /\ (still = true \/ smooth1 erf o (value a))
    | BOp2 o a c =>
        regular still w ts oks a /\ regular still w ts oks c /\ (still = true \/ smooth2 o (value a) (value c)) \/
        is_comparison o = true /\ regular false w ts oks a /\ regular false w ts oks c /\ value a <> value c
    | BOp3 Fma a c d => regular still w ts oks a /\ regular still w ts oks c /\ regular still w ts oks d
    | BOp3 Sel a c d =>
        regular true w ts oks a /\ regular still w ts oks (if equal (value a) 0 then d else c)
    | BIf g a c => regular still w ts oks (if icond_val sg w g then a else c)
    end.

  (** Tensors that move, and their values and velocities at 0. *)
  Context (ts : R -> list (tensor K)) (vs : list (tensor K)) (oks : list (bool -> list nat -> Prop)).

  Definition follows (t : nat) (still : bool) (at_ : list nat) : Prop :=
    if still then near_eq (fun h => read K (ts h) t at_) (fun _ => read K (ts 0) t at_) 0
    else derivable_pt_lim (fun h => read K (ts h) t at_) 0 (read K vs t at_).

  Context (SAME : forall h, length (ts h) = length vs)
    (MOVES : forall t still at_, nth t oks (fun _ _ => True) still at_ -> follows t still at_).

  Notation P := (paired K (ts 0) vs).

  Definition has_limit (still : bool) (w : list nat) (b : ibody) : Prop :=
    if still then near_eq (fun h => body_val sg K w (ts h) b) (fun _ => body_val sg K w (ts 0) b) 0
    else derivable_pt_lim (fun h => body_val sg K w (ts h) b) 0 (snd (body_val sg (dual K) w P b)).

  Lemma zero_is : cst K zero = 0.
  Proof using Type. cbn. lra. Qed.

  Lemma near_refl f x : near_eq f f x.
  Proof using Type. exists (x - 1), (x + 1). split; [lra|reflexivity]. Qed.

  Lemma zero_limit (still : bool) : if still then near_eq (fun _ => cst K zero) (fun _ => cst K zero) 0
    else derivable_pt_lim (fun _ => cst K zero) 0 (cst K zero).
  Proof using Type.
    destruct still; [apply near_refl|]. change (fun _ : R => cst K zero) with (fct_cte (cst K zero)).
    rewrite zero_is. apply derivable_pt_lim_const.
  Qed.

  Lemma read_limit still w t s : (all_inside sg w s = true -> nth t oks (fun _ _ => True) still (place sg w s)) ->
    has_limit still w (BRead t s).
  Proof using SAME MOVES.
    intros ok. unfold has_limit. cbn [body_val]. destruct (all_inside sg w s).
    - specialize (MOVES t still _ (ok eq_refl)). unfold follows in MOVES.
      destruct still; [exact MOVES|]. rewrite read_paired by apply SAME. exact MOVES.
    - destruct still; [apply (zero_limit true)|exact (zero_limit false)].
  Qed.

  Lemma near_same (f g : R -> R) c d z : (forall h, f h = g h) -> c = d ->
    near_eq g (fun _ => d) z -> near_eq f (fun _ => c) z.
  Proof using Type. intros same -> (a & b & inside & near). exists a, b. split; [assumption|]. intros h h_in. now rewrite same, near. Qed.

  Lemma gathered_step m v (e : nat -> R) :
    gathered K (S m) v e = if equal v (position K m) then e m else gathered K m v e.
  Proof using Type.
    unfold gathered. cbn [iterate op3 op2 reals]. unfold truth. destruct (equal v (position K m)).
    - unfold equal. destruct (Req_EM_T 1 0); [lra|reflexivity].
    - unfold equal. destruct (Req_EM_T 0 0); [reflexivity|lra].
  Qed.

  Lemma gathered_step_dual m x (e : nat -> num (dual K)) :
    snd (gathered (dual K) (S m) x e) =
    if equal (fst x) (position K m) then snd (e m) else snd (gathered (dual K) m x e).
  Proof using Type.
    unfold gathered. cbn [iterate]. set (l := iterate m _ _).
    cbn [op3 op2 dual slope3 snd fst slope_val nth D0 D1]. change (fst (position (dual K) m)) with (position K m).
    cbn [op2 op3 reals cst one zero powerRZ]. unfold truth. destruct (equal (fst x) (position K m)).
    - unfold equal. destruct (Req_EM_T 1 0); lra.
    - unfold equal. destruct (Req_EM_T 0 0); lra.
  Qed.

  (** The element that is found stays the one that is found. *)
  Lemma gather_limit still w x n t s r : has_limit true w x ->
    (forall k, (k < size_val sg n)%nat -> body_val sg K w (ts 0) x = position K k ->
     (all_inside sg w s && all_inside sg w r)%bool = true ->
     nth t oks (fun _ _ => True) still (places sg w s ++ k :: places sg w r)) ->
    has_limit still w (BGather x n t s r).
  Proof using SAME MOVES.
    intros (a & b & inside & unmoved) ok. unfold has_limit. cbn [body_val].
    set (v := body_val sg K w (ts 0) x) in *. set (count := size_val sg n) in *.
    assert (near : forall m, near_eq (fun h => gathered K m (body_val sg K w (ts h) x) (element_at sg K w (ts h) t s r))
      (fun h => gathered K m v (element_at sg K w (ts h) t s r)) 0).
    { intros m. exists a, b. split; [assumption|]. intros h h_in. now rewrite (unmoved h h_in). }
    assert (each : forall m, (m <= count)%nat ->
      if still then near_eq (fun h => gathered K m v (element_at sg K w (ts h) t s r))
        (fun _ => gathered K m v (element_at sg K w (ts 0) t s r)) 0
      else derivable_pt_lim (fun h => gathered K m v (element_at sg K w (ts h) t s r)) 0
        (snd (gathered (dual K) m (body_val sg (dual K) w P x) (element_at sg (dual K) w P t s r)))).
    { induction m as [|m IHm]; intros m_le; [destruct still; [apply (zero_limit true)|exact (zero_limit false)]|].
      specialize (IHm ltac:(lia)).
      assert (steps : forall h, gathered K (S m) v (element_at sg K w (ts h) t s r) =
        if equal v (position K m) then element_at sg K w (ts h) t s r m
        else gathered K m v (element_at sg K w (ts h) t s r)) by (intros h; apply gathered_step).
      rewrite gathered_step_dual, body_fst, element_at_paired by apply SAME. fold v.
      destruct (equal v (position K m)) eqn:found.
      - assert (is_here : v = position K m) by (unfold equal in found; destruct (Req_EM_T v (position K m)); [assumption|discriminate]).
        specialize (ok m ltac:(lia) is_here). unfold element_at in *.
        destruct (all_inside sg w s && all_inside sg w r)%bool.
        + specialize (MOVES t still _ (ok eq_refl)). unfold follows in MOVES. destruct still.
          * exact (near_same _ _ _ _ 0 steps (steps 0) MOVES).
          * exact (derivable_pt_lim_ext _ _ _ _ (fun h => eq_sym (steps h)) MOVES).
        + destruct still.
          * exact (near_same _ _ _ _ 0 steps (steps 0) (zero_limit true)).
          * exact (derivable_pt_lim_ext _ _ _ _ (fun h => eq_sym (steps h)) (zero_limit false)).
      - destruct still.
        + exact (near_same _ _ _ _ 0 steps (steps 0) IHm).
        + exact (derivable_pt_lim_ext _ _ _ _ (fun h => eq_sym (steps h)) IHm). }
    specialize (each count (le_n _)). destruct still.
    - destruct (near count) as (a' & b' & inside' & same), each as (c & d & inside_c & same_c).
      exists (Rmax a' c), (Rmin b' d). split; [split; [apply Rmax_lub_lt|apply Rmin_glb_lt]; tauto|].
      intros h [low high]. pose proof (Rmax_l a' c). pose proof (Rmax_r a' c). pose proof (Rmin_l b' d). pose proof (Rmin_r b' d).
      rewrite same by lra. now rewrite same_c by lra.
    - exact (near_derivative _ _ _ _ (near count) each).
  Qed.

  Lemma op2_has_limit still w o a c : has_limit still w a -> has_limit still w c ->
    still = true \/ smooth2 o (body_val sg K w (ts 0) a) (body_val sg K w (ts 0) c) ->
    has_limit still w (BOp2 o a c).
  Proof using SAME.
    unfold has_limit. cbn [body_val]. destruct still; intros limit_a limit_c ok.
    - exact (near_both _ _ _ _ (op2 K o) 0 limit_a limit_c).
    - destruct ok as [|ok]; [discriminate|].
      pose proof (op2_limit erf o (fun h => body_val sg K w (ts h) a) (fun h => body_val sg K w (ts h) c) 0 _ _
        ok limit_a limit_c) as limit.
      cbv beta in limit.
      rewrite <- (body_fst K sg w (ts 0) vs a (SAME 0)), <- (body_fst K sg w (ts 0) vs c (SAME 0)) in limit.
      rewrite <- !surjective_pairing in limit. exact limit.
  Qed.

  Lemma compare_has_limit still w o a c : is_comparison o = true -> has_limit false w a -> has_limit false w c ->
    body_val sg K w (ts 0) a <> body_val sg K w (ts 0) c -> has_limit still w (BOp2 o a c).
  Proof using SAME.
    intros compares limit_a limit_c differs.
    pose proof (still_truth erf o (fun h => body_val sg K w (ts h) a) (fun h => body_val sg K w (ts h) c) 0 _ _
      compares differs limit_a limit_c) as unmoved.
    destruct still; [exact unmoved|]. apply op2_has_limit; [assumption|assumption|]. right. now destruct o.
  Qed.

  Lemma fma_has_limit w a c d : has_limit false w a -> has_limit false w c -> has_limit false w d ->
    has_limit false w (BOp3 Fma a c d).
  Proof using SAME.
    unfold has_limit. intros limit_a limit_c limit_d.
    cbn [body_val op3 dual slope3 snd slope_val nth D1]. rewrite !body_fst by apply SAME.
    cbn [op2 reals op3 cst one powerRZ]. rewrite Rmult_1_r.
    match goal with |- derivable_pt_lim _ _ (?y * ?l + (?x * ?l' + 1 * ?l'')) =>
      replace (y * l + (x * l' + 1 * l'')) with ((l * y + x * l') + l'') by lra end.
    apply (derivable_pt_lim_plus (fun h => body_val sg K w (ts h) a * body_val sg K w (ts h) c)%R
      (fun h => body_val sg K w (ts h) d)); [|exact limit_d].
    now apply (derivable_pt_lim_mult (fun h => body_val sg K w (ts h) a) (fun h => body_val sg K w (ts h) c)).
  Qed.

  Lemma sel_has_limit still w a c d : has_limit true w a ->
    has_limit still w (if equal (body_val sg K w (ts 0) a) 0 then d else c) -> has_limit still w (BOp3 Sel a c d).
  Proof using SAME.
    intros unmoved chosen.
    assert (near : near_eq (fun h => body_val sg K w (ts h) (BOp3 Sel a c d))
      (fun h => body_val sg K w (ts h) (if equal (body_val sg K w (ts 0) a) 0 then d else c)) 0).
    { destruct unmoved as (x & y & inside & same). exists x, y. split; [assumption|]. intros h h_in.
      cbn [body_val op3 reals]. rewrite (same h h_in). now destruct (equal _ 0). }
    destruct still.
    - destruct near as (x & y & inside & same), chosen as (x' & y' & inside' & same').
      exists (Rmax x x'), (Rmin y y'). split; [split; [apply Rmax_lub_lt|apply Rmin_glb_lt]; tauto|].
      intros h [low high]. rewrite same, same'.
      + cbn [body_val op3 reals]. now destruct (equal _ 0).
      + pose proof (Rmax_r x x'). pose proof (Rmin_r y y'). lra.
      + pose proof (Rmax_l x x'). pose proof (Rmin_l y y'). lra.
    - apply (near_derivative _ _ _ _ near). unfold has_limit in chosen.
      replace (snd (body_val sg (dual K) w P (BOp3 Sel a c d)))
        with (snd (body_val sg (dual K) w P (if equal (body_val sg K w (ts 0) a) 0 then d else c))); [exact chosen|].
      cbn [body_val op3 dual slope3 snd slope_val nth D0 D1]. rewrite !body_fst by apply SAME.
      cbn [op2 reals op3 cst one zero powerRZ]. destruct (equal _ 0); lra.
  Qed.

  Theorem regular_limit w b : forall still, regular still w (ts 0) oks b -> has_limit still w b.
  Proof using SAME MOVES.
    induction b as [c|i|t s|x IHx n t s r|o a IHa|o a IHa b IHb|o a IHa b IHb c IHc|g a IHa b IHb]; cbn [regular]; intros still ok.
    - unfold has_limit. cbn [body_val]. destruct still; [apply near_refl|]. cbn [snd cst dual].
      rewrite zero_is. apply derivable_pt_lim_const.
    - unfold has_limit. cbn [body_val]. destruct still; [apply near_refl|]. unfold position. cbn [snd cst dual].
      rewrite zero_is. apply derivable_pt_lim_const.
    - now apply read_limit.
    - destruct ok as [ok_x found]. apply gather_limit; auto.
    - destruct ok as [inner ok]. specialize (IHa _ inner). unfold has_limit in *. cbn [body_val]. destruct still.
      + destruct IHa as (x & y & inside & same). exists x, y. split; [assumption|].
        intros h h_in. now rewrite (same h h_in).
      + destruct ok as [|ok]; [discriminate|]. destruct (slope1_limit erf o _ ok) as (d & is_d & limit).
        cbn [op1 dual snd]. rewrite is_d, body_fst by apply SAME.
        apply (derivable_pt_lim_comp (fun h => body_val sg K w (ts h) a) (op1 K o) 0 _ _ IHa limit).
    - destruct ok as [(ok_a & ok_b & ok)|(compares & ok_a & ok_b & differs)].
      + apply op2_has_limit; auto.
      + apply compare_has_limit; auto.
    - destruct o.
      + destruct ok as (ok_a & ok_b & ok_c). destruct still; [|apply fma_has_limit; auto].
        exact (near_both _ _ _ _ Rplus 0 (near_both _ _ _ _ Rmult 0 (IHa _ ok_a) (IHb _ ok_b)) (IHc _ ok_c)).
      + destruct ok as [ok_a chosen]. apply sel_has_limit; [auto|]. destruct (equal _ 0); auto.
    - unfold has_limit in *. cbn [body_val]. destruct (icond_val sg w g); [now apply IHa|now apply IHb].
  Qed.

  Lemma lsum_derivative {A} (l : list A) (f : R -> A -> R) (d : A -> R) :
    (forall a, In a l -> derivable_pt_lim (fun h => f h a) 0 (d a)) ->
    derivable_pt_lim (fun h => lsum K l (f h)) 0 (lsum K l d).
  Proof using Type.
    induction l as [|a l IHl]; intros each; cbn [fsum].
    - rewrite zero_is. apply derivable_pt_lim_const.
    - apply (derivable_pt_lim_plus (fun h => f h a) (fun h => lsum K l (f h))).
      + apply each. now left.
      + apply IHl. intros b b_in. apply each. now right.
  Qed.
End DERIVATIVE.

Section ELEMENTS.
  Context (erf : R -> R) (sg : nat -> nat).
  Notation K := (reals erf).

  (** Where a summand's condition holds its body is regular. *)
  Definition regular_element (still : bool) (ts : list (tensor K)) (oks : list (bool -> list nat -> Prop))
      (iv : list nat) (l : list summand) : Prop :=
    forall s, In s l -> forall w, In w (points (loop_values sg s) iv) ->
    icond_val sg w (su_cond s) = true -> regular erf sg still w ts oks (su_body s).

  Lemma lsum_near {A} (l : list A) (f : R -> A -> R) :
    (forall a, In a l -> near_eq (fun h => f h a) (fun _ => f 0 a) 0) ->
    near_eq (fun h => lsum K l (f h)) (fun _ => lsum K l (f 0)) 0.
  Proof using Type.
    induction l as [|a l IHl]; intros each; cbn [fsum]; [apply near_refl|].
    apply (near_both _ _ _ _ (op2 K Add) 0); [apply each; now left|]. apply IHl. intros b b_in. apply each. now right.
  Qed.

  Theorem element_derivative (ts : R -> list (tensor K)) (vs : list (tensor K)) oks (still : bool) iv l :
    (forall h, length (ts h) = length vs) ->
    (forall t still at_, nth t oks (fun _ _ => True) still at_ -> follows erf ts vs t still at_) ->
    regular_element still (ts 0) oks iv l ->
    if still then near_eq (fun h => element_val sg K iv (ts h) l) (fun _ => element_val sg K iv (ts 0) l) 0
    else derivable_pt_lim (fun h => element_val sg K iv (ts h) l) 0
      (snd (element_val sg (dual K) iv (paired K (ts 0) vs) l)).
  Proof using Type.
    intros same moves ok. pose proof (reals_ring_like erf) as RING.
    assert (limit : forall s w, In s l -> In w (points (loop_values sg s) iv) -> icond_val sg w (su_cond s) = true ->
      has_limit erf sg ts vs still w (su_body s)).
    { intros s w s_in w_in holds. apply (regular_limit erf sg ts vs oks same moves w (su_body s) still). now apply ok. }
    destruct still.
    - destruct (lsum_near l (fun h s => lsum K (points (loop_values sg s) iv) (sum_at K sg K (fun x => x) (ts h) s))) as (a & b & inside & near).
      { intros s s_in. apply (lsum_near (points (loop_values sg s) iv) (fun h w => sum_at K sg K (fun x => x) (ts h) s w)).
        intros w w_in. unfold sum_at. destruct (icond_val sg w (su_cond s)) eqn:holds; [exact (limit s w s_in w_in holds)|apply near_refl]. }
      exists a, b. split; [assumption|]. intros h h_in.
      rewrite !(element_sum K RING sg K (fun x => x) eq_refl (fun x y => eq_refl)). exact (near h h_in).
    - rewrite (element_sum K RING sg (dual K) snd eq_refl (dual_add K RING)).
      apply derivable_pt_lim_ext with (f := fun h =>
        lsum K l (fun s => lsum K (points (loop_values sg s) iv) (sum_at K sg K (fun x => x) (ts h) s))).
      { intros h. symmetry. apply (element_sum K RING sg K (fun x => x) eq_refl (fun x y => eq_refl)). }
      apply lsum_derivative. intros s s_in. apply lsum_derivative. intros w w_in. unfold sum_at.
      destruct (icond_val sg w (su_cond s)) eqn:holds.
      + exact (limit s w s_in w_in holds).
      + rewrite (zero_is erf). apply derivable_pt_lim_const.
  Qed.
End ELEMENTS.
